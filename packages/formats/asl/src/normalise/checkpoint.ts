import type { Checkpoint, StateBase } from '../definition/index.ts';
import type { Part } from '../authored.ts';
import { readPath, optionalString } from './fields.ts';
import { readLeads } from './state.ts';

export function readCheckpoint(base: StateBase, authored: Part): Checkpoint {
  const { value: fields } = authored;
  const ttl = optionalString(fields['TTL']);
  return {
    ...base,
    ...readLeads(authored),
    Type: 'Checkpoint',
    Name: optionalString(fields['Name']) ?? '',
    Storage: optionalString(fields['Storage']),
    TTL: ttl === 'never' ? undefined : ttl,
    ResultPath: readPath(fields['ResultPath'], null),
  };
}
