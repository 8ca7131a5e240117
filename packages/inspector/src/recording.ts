import type { InspectedCall, InspectedSnapshot, InspectorEvent } from './events.ts';

/** An actor, as it is at a place in a recording. */
export interface RecordedActor {
  readonly sessionId: string;
  readonly rootId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly src?: string;
  readonly definition: string | undefined;
  readonly call?: InspectedCall;
  readonly snapshot: InspectedSnapshot;
  /** Milliseconds since 1970 UTC. */
  readonly bornAt: number;
  readonly changedAt: number;
}

export type Actors = ReadonlyMap<string, RecordedActor>;

/** What an inspector has seen: the last events, and how all actors were before the first of them. */
export interface Recording {
  readonly actors: readonly RecordedActor[];
  readonly events: readonly InspectorEvent[];
}

/** Changes actors by one event. What an event says is in the actor afterwards, and nothing of it is worked out. */
export function applyTo(actors: Map<string, RecordedActor>, event: InspectorEvent): void {
  const at = Number(event.createdAt);
  if (event.type === '@xstate.actor') {
    const { sessionId, rootId, parentId, name, src, definition, call, snapshot } = event;
    actors.set(sessionId, {
      sessionId,
      rootId,
      parentId,
      name,
      definition,
      snapshot,
      bornAt: at,
      changedAt: at,
      ...(src === undefined ? {} : { src }),
      ...(call === undefined ? {} : { call }),
    });
  } else if (event.type === '@xstate.snapshot') {
    const actor = actors.get(event.sessionId);
    if (actor) actors.set(event.sessionId, { ...actor, snapshot: event.snapshot, changedAt: at });
  }
}

/** What the last runs have come to is shown after their end. */
const mostEndedRoots = 10;

/** Lets go of an actor that has ended, or if nobody has called it, of the first that have: it is not needed to understand the rest. */
export function letGo(
  actors: Map<string, RecordedActor>,
  { sessionId, parentId }: RecordedActor,
): void {
  if (parentId !== undefined) {
    actors.delete(sessionId);
    return;
  }
  const ended = [...actors.values()].filter(
    (actor) => actor.parentId === undefined && hasEnded(actor),
  );
  for (const root of ended.slice(0, -mostEndedRoots)) actors.delete(root.sessionId);
}

export function hasEnded({ snapshot }: RecordedActor): boolean {
  return snapshot.status !== 'active';
}
