import type { StateBase, Subworkflow } from '../definition/index.ts';
import type { Part } from '../authored.ts';
import { optionalJson, optionalString } from './fields.ts';
import type { Reading } from './reading.ts';
import { readRecovery } from './retry.ts';
import { readLeads, readResult } from './state.ts';

export function readSubworkflow(base: StateBase, authored: Part, reading: Reading): Subworkflow {
  const { value: fields } = authored;
  return {
    ...base,
    ...readResult(authored),
    ...readRecovery(authored, reading),
    ...readLeads(authored),
    Type: 'Workflow',
    WorkflowId: optionalString(fields['WorkflowId']) ?? '',
    Input: optionalJson(fields['Input']),
    Timeout: optionalString(fields['Timeout']),
  };
}
