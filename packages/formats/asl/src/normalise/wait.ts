import type { StateBase, Wait } from '../definition/index.ts';
import { readLeads } from './state.ts';
import type { Part } from '../authored.ts';
import { readGiven, isNumber, isText } from './fields.ts';

export function readWait(base: StateBase, authored: Part): Wait {
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Wait',
    Seconds: readGiven(authored, 'Seconds', isNumber, base.QueryLanguage),
    Timestamp: readGiven(authored, 'Timestamp', isText, base.QueryLanguage),
  };
}
