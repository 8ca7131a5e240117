import { once } from '@dramaturg/conversation';
import { own } from '../context.ts';
import type { Deliverable } from '../definition.ts';
import {
  deliverablesOf,
  isOfPerson,
  type Place,
  planMeta,
  type PlanScope,
  stateMeta,
} from './meta.ts';
import { valueSchema } from './value-schema.ts';

/** The declaration of a key: of the current state, else of the state in which it was collected, else of the nearest state ahead. */
export function declarationOf(scope: Place, key: string): Deliverable | undefined {
  const { context, meta } = scope;
  const inState = (id: string) =>
    deliverablesOf(stateMeta(meta, id)).find((deliverable) => deliverable.key === key);
  const record = own(context.deliverables, key);
  return inState(context.state) ?? (record && inState(record.state)) ?? ahead(scope).get(key);
}

/**
 * The most deliverables that are taken before their turn, and the most characters of their schemas: every extraction contains all
 * of them. Deliverables further ahead are asked for when their turn comes. Spec: docs/formats/plan.md#said-early
 */
export const mostAhead = 100;
const mostCharacters = 20_000;

type Ahead = ReadonlyMap<string, Deliverable>;

/**
 * The deliverables that the plan may ask for after the current question, by key: the tasks of a strict state, then the states
 * that transitions lead to, the nearest first. It is the same during a whole visit.
 */
export function ahead({ context: { state }, meta }: Place): Ahead {
  return aheadOf(meta, state);
}

const aheadOf = once((meta: PlanScope['meta'], from): Ahead => {
  const first = stateMeta(meta, from);
  const isDeclaredHere = new Set(
    first.type === 'strict' ? [] : deliverablesOf(first).map(({ key }) => key),
  );
  const heard = (planMeta(meta).heard ?? []).filter(({ key }) => !isDeclaredHere.has(key));
  const byKey = new Map<string, Deliverable>(heard.map((one) => [one.key, one]));
  const reached = new Set([from]);
  let characters = 0;
  // The set grows while it is read: breadth first.
  for (const id of reached) {
    const state = stateMeta(meta, id);
    for (const deliverable of deliverablesOf(state)) {
      const { key } = deliverable;
      if (byKey.has(key) || isDeclaredHere.has(key) || !isOfPerson(deliverable)) continue;
      characters += deliverable.key.length + JSON.stringify(valueSchema(deliverable)).length;
      if (byKey.size === mostAhead || characters > mostCharacters) return byKey;
      byKey.set(deliverable.key, deliverable);
    }
    for (const next of state.leads_to ?? []) reached.add(next);
  }
  return byKey;
});
