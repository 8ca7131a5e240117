import type { Fail, StateBase } from '../definition/index.ts';
import type { Part } from '../authored.ts';
import { readValueSource, isText } from './fields.ts';

export function readFail(base: StateBase, authored: Part): Fail {
  return {
    ...base,
    Type: 'Fail',
    Error: readValueSource(authored, 'Error', isText, base.QueryLanguage),
    Cause: readValueSource(authored, 'Cause', isText, base.QueryLanguage),
  };
}
