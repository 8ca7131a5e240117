import { readFileSync } from 'node:fs';
import { createInspector, type InspectorEvent } from '@dramaturg/inspector';
import type { ActorRefLike } from 'xstate';
import { expect, test } from 'vitest';
import { type XState6Inspection } from '../src/xstate6.ts';

/** What XState 6.0.0-alpha.23 reports of a checkout that invokes a payment. Actors are written as their session ids. */
interface Recorded {
  readonly type: XState6Inspection['type'];
  readonly actorRef: string;
  readonly parentRef?: string | null;
  readonly id?: string;
  readonly sourceRef?: string | null;
  readonly event?: { readonly type: string };
  readonly snapshot: { readonly nodes?: readonly object[] };
  readonly microsteps?: readonly { readonly source: string; readonly target: string[] | null }[];
}

const { events } = JSON.parse(
  readFileSync(new URL('fixtures/xstate6-checkout.json', import.meta.url), 'utf8'),
) as { readonly events: readonly Recorded[] };

/** Reports the recording to an inspector as XState 6 does, with actors and nodes in place of their ids. */
function replayed(): readonly InspectorEvent[] {
  const inspector = createInspector();
  const system = {};
  const actors = new Map<string, ActorRefLike>();
  for (const { actorRef, parentRef, id, snapshot, sourceRef, microsteps, ...rest } of events) {
    const { nodes, ...fields } = snapshot;
    const now = { ...fields, _nodes: nodes };
    const parent = actors.get(parentRef ?? '');
    const actor =
      actors.get(actorRef) ??
      ({ sessionId: actorRef, id, src: id, system, _parent: parent } as unknown as ActorRefLike);
    actors.set(actorRef, Object.assign(actor, { getSnapshot: () => now }));
    const place = { ...rest, actorRef: actor, snapshot: now };
    const taken = microsteps?.map(({ source, target }) => ({
      source: { id: source },
      target: target?.map((node) => ({ id: node })),
    }));
    inspector.inspect(
      (taken
        ? { ...place, sourceRef: actors.get(sourceRef ?? ''), microsteps: taken }
        : { ...place, parentRef: parent }) as unknown as XState6Inspection,
    );
  }
  return inspector.recording().events;
}

test('a recording of XState 6 has its actors, events, microsteps and states in the words of XState 5', () => {
  const recorded = replayed();
  const told = recorded.map((event) => {
    switch (event.type) {
      case '@xstate.actor':
        return `${event.name} is created by ${event.parentId ?? 'nobody'}`;
      case '@xstate.event':
        return `${event.sourceId ?? 'outside'} sends ${event.event.type} to ${event.sessionId}`;
      case '@dramaturg.transition':
        return event.taken.map(({ from, to }) => `${from} → ${to.join() || 'itself'}`).join();
      case '@xstate.snapshot':
        return `${event.sessionId} is in ${String(event.snapshot.value)}`;
      default:
        return event.type;
    }
  });
  expect(told).toEqual([
    'x:0 is created by nobody',
    'outside sends xstate.init to 1/x:0',
    '1/x:0 is in cart',
    'payment is created by 1/x:0',
    '1/x:0 sends xstate.init to 1/x:1',
    '1/x:1 is in idle',
    'outside sends CHECKOUT to 1/x:0',
    'checkout.cart → checkout.paying',
    '1/x:0 is in paying',
    'outside sends NOPE to 1/x:0',
    '1/x:0 is in paying',
    '1/x:0 sends PAY to 1/x:1',
    'payment.idle → payment.paid',
    '1/x:1 is in paid',
    '1/x:1 sends PAY to 1/x:0',
    'checkout.paying → itself',
    '1/x:0 is in paying',
    '1/x:1 sends xstate.done.actor.payment to 1/x:0',
    'checkout.paying → checkout.thanks',
    'checkout.thanks → checkout.done',
    '1/x:0 is in done',
  ]);
});

test('events of XState 5 with the names of XState 6 stay as they are', () => {
  const inspector = createInspector();
  const system = {};
  const actorRef = { sessionId: 'x:0', id: 'a', system, getSnapshot: () => ({}) };
  const event = { type: 'go' };
  // XState 5.33 reports a transition too, without microsteps.
  const transition = { type: '@xstate.transition', rootId: 'x:0', actorRef, event, snapshot: {} };
  inspector.inspect(transition as never);
  expect(inspector.recording().events).toEqual([]);
});
