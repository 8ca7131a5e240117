import type { Chart } from '@dramaturg/compiler';
import { chartsOf, originOf, unitKey } from '@dramaturg/compiler/chart';
import type { InspectorEvent } from '../../../../src/events.ts';
import type { RecordedActor } from '../../../../src/recording.ts';
import { nodesOf } from '../chart-nodes.ts';
import { chartIn } from '../derive.ts';
import type { Actors, Playback } from '../playback.ts';

/** The units that runs have reached, by their keys, for each definition of an actor. */
export type Reached = ReadonlyMap<string, ReadonlySet<string>>;

/** What the first `count` events of a recording have reached. */
export function reachedIn(playback: Playback, count = playback.events.length): Reached {
  const actors = new Map(playback.actorsAfter(0));
  const reached = new Map<string, Set<string>>();
  for (const actor of actors.values()) addNodes(reached, actor, actors, actor.snapshot.nodes ?? []);
  for (const event of playback.events.slice(0, count)) {
    if (event.type === '@xstate.actor') actors.set(event.sessionId, asActor(event));
    const actor = actors.get(event.sessionId);
    if (!actor) continue;
    if (event.type === '@xstate.snapshot')
      addNodes(reached, actor, actors, event.snapshot.nodes ?? []);
    if (event.type !== '@dramaturg.transition') continue;
    for (const { from, to, origin } of event.taken) {
      addNodes(reached, actor, actors, [from, ...to]);
      if (!origin) continue;
      const unit = { kind: 'transition', path: origin } as const;
      const source = stateAround(actor, from);
      add(reached, actor, actors, unitKey(unit));
      if (source) add(reached, actor, actors, unitKey({ ...unit, from: source }));
    }
  }
  return reached;
}

/** What a run has reached in its parts. */
export function reachedByParts(parts: readonly Reached[]): Reached {
  const all = new Map<string, Set<string>>();
  for (const part of parts)
    for (const [definition, units] of part)
      all.set(definition, new Set([...(all.get(definition) ?? []), ...units]));
  return all;
}

function asActor(event: Extract<InspectorEvent, { readonly type: '@xstate.actor' }>) {
  return { ...event, bornAt: 0, changedAt: 0 } satisfies RecordedActor;
}

/** The place of the innermost authored state around a node. */
function stateAround(actor: RecordedActor, id: string) {
  const chart = chartIn(actor);
  let at = chart && nodesOf(chart).get(id);
  while (at && !originOf(at.node)) at = at.parent;
  return at && originOf(at.node);
}

/** Adds the states with these ids, and those around them. */
function addNodes(
  reached: Map<string, Set<string>>,
  actor: RecordedActor,
  actors: Actors,
  ids: readonly string[],
): void {
  const chart = chartIn(actor);
  if (!chart) return;
  const nodes = nodesOf(chart);
  for (const id of ids)
    for (let at = nodes.get(id); at; at = at.parent) {
      const path = originOf(at.node);
      if (path) add(reached, actor, actors, unitKey({ kind: 'state', path }));
    }
}

/** Adds a unit to the actor's definition, and to that of the machine that runs the actor for an item. */
function add(
  reached: Map<string, Set<string>>,
  actor: RecordedActor,
  actors: Actors,
  key: string,
): void {
  const chart = chartIn(actor);
  for (let at: RecordedActor | undefined = actor; at; at = actors.get(at.parentId ?? '')) {
    const around = chartIn(at);
    if (at.definition === undefined || !around || !chart) continue;
    if (!contains(around, chart)) return;
    const own = reached.get(at.definition) ?? new Set();
    reached.set(at.definition, own.add(key));
  }
}

function contains(chart: Chart, inner: Chart): boolean {
  return chart === inner || chartsOf(chart).some(({ id }) => id === inner.id);
}
