import type { StateBase, Subworkflow } from '../definition/index.ts';
import { jsonOf, type Placed, type Reading, textOf } from './fields.ts';
import { readRecovery } from './retry.ts';
import { readLeads, readResult } from './state.ts';

export function readSubworkflow(base: StateBase, placed: Placed, reading: Reading): Subworkflow {
  const { value: fields } = placed;
  return {
    ...base,
    ...readResult(placed),
    ...readRecovery(placed, reading),
    ...readLeads(placed),
    Type: 'Workflow',
    WorkflowId: textOf(fields['WorkflowId']) ?? '',
    Input: jsonOf(fields['Input']),
    Timeout: textOf(fields['Timeout']),
  };
}
