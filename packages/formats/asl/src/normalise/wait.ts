import type { StateBase, Wait } from '../definition/index.ts';
import { readLeads } from './state.ts';
import type { Part } from '../authored.ts';
import { readValueSource, isNumber, isText } from './fields.ts';

export function readWait(base: StateBase, authored: Part): Wait {
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Wait',
    Seconds: readValueSource(authored, 'Seconds', isNumber, base.QueryLanguage),
    Timestamp: readValueSource(authored, 'Timestamp', isText, base.QueryLanguage),
  };
}
