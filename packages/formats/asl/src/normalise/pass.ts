import type { Pass, StateBase } from '../definition/index.ts';
import { readLeads } from './common.ts';
import { jsonOf, pathOf, type Placed } from './fields.ts';

export function readPass(base: StateBase, placed: Placed): Pass {
  const { value: fields } = placed;
  return {
    ...base,
    ...readLeads(placed),
    Type: 'Pass',
    Result: jsonOf(fields['Result']),
    Parameters: jsonOf(fields['Parameters']),
    ResultPath: pathOf(fields['ResultPath'], '$'),
  };
}
