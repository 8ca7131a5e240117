import type { Fail, StateBase } from '../definition/index.ts';
import type { Part } from '../authored.ts';
import { readGiven, isText } from './fields.ts';

export function readFail(base: StateBase, authored: Part): Fail {
  return {
    ...base,
    Type: 'Fail',
    Error: readGiven(authored, 'Error', isText, base.QueryLanguage),
    Cause: readGiven(authored, 'Cause', isText, base.QueryLanguage),
  };
}
