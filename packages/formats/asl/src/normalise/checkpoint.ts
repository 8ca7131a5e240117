import type { Checkpoint, StateBase } from '../definition/index.ts';
import { pathOf, type Placed, textOf } from './fields.ts';
import { readLeads } from './state.ts';

export function readCheckpoint(base: StateBase, placed: Placed): Checkpoint {
  const { value: fields } = placed;
  const ttl = textOf(fields['TTL']);
  return {
    ...base,
    ...readLeads(placed),
    Type: 'Checkpoint',
    Name: textOf(fields['Name']) ?? '',
    Storage: textOf(fields['Storage']),
    TTL: ttl === 'never' ? undefined : ttl,
    ResultPath: pathOf(fields['ResultPath'], null),
  };
}
