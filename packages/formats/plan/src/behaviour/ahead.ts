import type { Deliverable } from '../definition.ts';
import {
  deliverablesOf,
  isOfPerson,
  planMeta,
  type PlanScope,
  stateMeta,
  type Place,
} from './meta.ts';
import { valueSchema } from './value-schema.ts';

/**
 * The most deliverables that are taken before their turn, and the most characters of their schemas: every extraction contains all
 * of them. Deliverables further ahead are asked for when their turn comes. Spec: docs/formats/plan.md#said-early
 */
export const mostAhead = 100;
const mostCharacters = 20_000;

type Ahead = ReadonlyMap<string, Deliverable>;

/** By the chart's metas and the id of a state. A chart does not change, so the deliverables ahead of a state do not either. */
const found = new WeakMap<PlanScope['meta'], Map<string, Ahead>>();

/**
 * The deliverables that the plan may ask for after the current question, by key: the tasks of a strict state, then the states
 * that transitions lead to, the nearest first. It is the same during a whole visit.
 */
export function ahead({ context: { state }, meta }: Place): Ahead {
  const ofChart = found.get(meta) ?? new Map<string, Ahead>();
  found.set(meta, ofChart);
  const known = ofChart.get(state) ?? findAhead(state, meta);
  ofChart.set(state, known);
  return known;
}

function findAhead(from: string, meta: PlanScope['meta']): Ahead {
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
}
