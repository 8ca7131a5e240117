import type { Pass, StateBase } from '../definition/index.ts';
import { readLeads } from './state.ts';
import { jsonOf, pathOf, type Placed, type Reading } from './fields.ts';
import { readMemory } from './memory.ts';

export function readPass(base: StateBase, placed: Placed, reading: Reading): Pass {
  const { value: fields } = placed;
  return {
    ...base,
    ...readLeads(placed),
    Type: 'Pass',
    Result: jsonOf(fields['Result']),
    Parameters: jsonOf(fields['Parameters']),
    ResultPath: pathOf(fields['ResultPath'], '$'),
    Memory: readMemory(placed, reading),
  };
}
