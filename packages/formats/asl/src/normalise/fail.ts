import type { Fail, StateBase } from '../definition/index.ts';
import { given, isText, type Placed } from './fields.ts';

export function readFail(base: StateBase, placed: Placed): Fail {
  return {
    ...base,
    Type: 'Fail',
    Error: given(placed, 'Error', isText, base.QueryLanguage),
    Cause: given(placed, 'Cause', isText, base.QueryLanguage),
  };
}
