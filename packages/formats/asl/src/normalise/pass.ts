import type { Pass, StateBase } from '../definition/index.ts';
import { readLeads } from './state.ts';
import type { Part } from '../authored.ts';
import { optionalJson, readPath } from './fields.ts';
import type { Reading } from './reading.ts';
import { readMemory } from './memory.ts';

export function readPass(base: StateBase, authored: Part, reading: Reading): Pass {
  const { value: fields } = authored;
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Pass',
    Result: optionalJson(fields['Result']),
    Parameters: optionalJson(fields['Parameters']),
    ResultPath: readPath(fields['ResultPath'], '$'),
    Memory: readMemory(authored, reading),
  };
}
