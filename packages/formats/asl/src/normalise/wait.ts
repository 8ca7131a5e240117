import type { StateBase, Wait } from '../definition/index.ts';
import { readLeads } from './state.ts';
import { given, isNumber, isText, type Placed } from './fields.ts';

export function readWait(base: StateBase, placed: Placed): Wait {
  return {
    ...base,
    ...readLeads(placed),
    Type: 'Wait',
    Seconds: given(placed, 'Seconds', isNumber, base.QueryLanguage),
    Timestamp: given(placed, 'Timestamp', isText, base.QueryLanguage),
  };
}
