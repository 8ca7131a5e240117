import { own } from '../context.ts';
import type { Deliverable } from '../definition.ts';
import { ahead } from './ahead.ts';
import { deliverablesOf, stateMeta, type Place } from './meta.ts';

/** The declaration of a key: of the current state, else of the state in which it was collected, else of the nearest state ahead. */
export function declarationOf(scope: Place, key: string): Deliverable | undefined {
  const { context, meta } = scope;
  const inState = (id: string) =>
    deliverablesOf(stateMeta(meta, id)).find((deliverable) => deliverable.key === key);
  const record = own(context.deliverables, key);
  return inState(context.state) ?? (record && inState(record.state)) ?? ahead(scope).get(key);
}
