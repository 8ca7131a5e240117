import type { RecordedActor } from '../../../src/recording.ts';
import { nodesOf, type PlacedNode, titleOf } from './chart-nodes.ts';
import { chartIn } from './derive.ts';
import type { Actors } from './playback.ts';

/** The name of an actor for people. The supervisor of a Map has the name of its state, and an item its index. */
export function actorTitle(actor: RecordedActor, actors: Actors): string {
  const caller = actors.get(actor.parentId ?? '');
  if (!caller || actor.call) return actor.name;
  if (isSupervisor(caller, actors)) return `item ${actor.name}`;
  const state = stateOfItems(actor, caller);
  return state ? `${titleOf(state)}: items` : actor.name;
}

/** The nearest actor with a machine: the actor itself or one of its callers. */
export function machineAround(
  actor: RecordedActor | undefined,
  actors: Actors,
): RecordedActor | undefined {
  let at = actor;
  while (at && at.definition === undefined) at = actors.get(at.parentId ?? '');
  return at;
}

export function isSupervisor(actor: RecordedActor, actors: Actors): boolean {
  const caller = actors.get(actor.parentId ?? '');
  return caller !== undefined && nodeOfItems(actor, caller) !== undefined;
}

/** The node of the caller whose items an actor supervises. */
export function nodeOfItems(
  { name, call, definition }: RecordedActor,
  caller: RecordedActor,
): PlacedNode | undefined {
  const chart = chartIn(caller);
  if (definition !== undefined || call || !chart) return undefined;
  return [...nodesOf(chart).values()].find(({ node }) =>
    node.invoke?.some(({ id, src }) => id === name && /^each(?::|$)/.test(src)),
  );
}

function stateOfItems(actor: RecordedActor, caller: RecordedActor): PlacedNode | undefined {
  let at = nodeOfItems(actor, caller);
  while (at?.parent?.parent && at.node.meta?.['title'] === undefined) at = at.parent;
  return at;
}
