import type { InspectedCall, InspectedSnapshot, InspectorEvent } from './events.ts';

/** An actor at one point of a recording. */
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

/** A recording: the last events, and all actors before the first of them. */
export interface Recording {
  readonly actors: readonly RecordedActor[];
  readonly events: readonly InspectorEvent[];
}

/** Applies one event to the actors: copies the event's fields into its actor. */
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

/** The number of ended runs to keep. */
const mostEndedRoots = 10;

/** Removes an ended actor. Of ended root actors, the oldest beyond the limit are removed. */
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
