import type { InspectedEvent, InspectedSnapshot } from '@dramaturg/inspector';
import { legacyEvent } from './event.ts';

/** Converts a snapshot for XState 4's `State.create`. */
export function legacyState(
  snapshot: InspectedSnapshot,
  event: InspectedEvent,
  sessionId: string,
): Record<string, unknown> {
  const scxml = legacyEvent(event);
  return {
    // An actor without a machine has the state of its substitute machine.
    value: snapshot.value ?? snapshot.status ?? 'active',
    context: snapshot.context ?? contextOf(snapshot),
    event: scxml.data,
    _event: scxml,
    _sessionid: sessionId,
    actions: [],
    activities: {},
    meta: {},
    events: [],
    children: {},
    configuration: [],
    transitions: [],
    tags: snapshot.tags ?? [],
    changed: true,
    done: snapshot.status !== undefined && snapshot.status !== 'active',
  };
}

/** The output or error, for actors without a context. */
export function contextOf({ output, error }: InspectedSnapshot): unknown {
  return {
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  };
}
