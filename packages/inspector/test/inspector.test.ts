import {
  applyTo,
  chartOf,
  createInspector,
  type Inspector,
  type InspectorEvent,
  type RecordedActor,
} from '@dramaturg/inspector';
import {
  type AnyActorLogic,
  createActor,
  type AnyActorRef,
  createMachine,
  emit,
  fromCallback,
  setup,
  waitFor,
} from 'xstate';
import { expect, test } from 'vitest';
import { order } from './machines.ts';

const typesOf = (events: readonly InspectorEvent[]) => events.map(({ type }) => type);

test('an unprepared actor is observed from its start, with everything it invokes', async () => {
  const inspector = createInspector();
  const actor = createActor(order, { id: 'order', inspect: inspector.inspect }).start();
  actor.send({ type: 'add' });
  actor.send({ type: 'pay' });
  await waitFor(actor, (snapshot) => snapshot.matches('sending'));
  const { actors, events } = inspector.recording();
  expect(actors).toEqual([]);
  const all = folded(events);
  expect([...all.values()].map(({ name, snapshot }) => [name, snapshot.status])).toEqual([
    ['order', 'active'],
    ['bell', 'stopped'],
    ['charge', 'done'],
    ['parcel', 'active'],
  ]);
  const [root] = all.values();
  expect(root).toMatchObject({
    snapshot: {
      value: 'sending',
      context: { items: 1, paid: true },
      nodes: ['order', 'order.sending'],
    },
  });
  expect(
    events.every((event) => JSON.stringify(event) === JSON.stringify(structuredClone(event))),
  ).toBe(true);
});

test('a running actor is observed only while it is attached', () => {
  const inspector = createInspector();
  const actor = createActor(order).start();
  actor.send({ type: 'add' });
  expect(inspector.recording().events).toEqual([]);
  const detach = inspector.attach(actor);
  expect(typesOf(inspector.recording().events)).toEqual([
    '@xstate.actor',
    '@xstate.snapshot',
    '@xstate.actor',
    '@xstate.snapshot',
  ]);
  actor.send({ type: 'add' });
  expect(folded(inspector.recording().events).values().next().value).toMatchObject({
    snapshot: { context: { items: 2 } },
  });
  const seen = inspector.recording().events.length;
  detach();
  actor.send({ type: 'add' });
  expect(inspector.recording().events).toHaveLength(seen);
});

test('attaching twice does not duplicate events, and detaching all stops them', () => {
  const child = createMachine({ id: 'child' });
  const machine = setup({ actors: { child } }).createMachine({
    invoke: { src: 'child', id: 'child' },
    on: { go: { actions: emit({ type: 'gone' }) } },
  });
  const going = (inspector: Inspector, actor: AnyActorRef) => {
    const { length } = inspector.recording().events;
    actor.send({ type: 'go' });
    return typesOf(inspector.recording().events.slice(length));
  };
  const once = ['@xstate.event', '@dramaturg.emitted', '@dramaturg.transition', '@xstate.snapshot'];

  const own = createInspector();
  const inspected = createActor(machine, { inspect: own.inspect }).start();
  const release = own.attach(inspected);
  expect(going(own, inspected).toSorted()).toEqual(once.toSorted());
  release();
  expect(going(own, inspected).toSorted()).toEqual(once.toSorted());

  const inspector = createInspector();
  const actor = createActor(machine).start();
  const detach = [actor, actor.getSnapshot().children['child']!, actor].map((each) =>
    inspector.attach(each as AnyActorRef),
  );
  expect(folded(inspector.recording().events).size).toBe(2);
  expect(inspector.recording().events).toHaveLength(4);
  const [{ sessionId }] = inspector.recording().events as [InspectorEvent];
  detach[0]!();
  detach[0]!();
  detach[1]!();
  expect(going(inspector, actor).toSorted()).toEqual(once.toSorted());
  expect(inspector.send(sessionId, { type: 'go' })).toBe(true);
  detach[2]!();
  expect(going(inspector, actor)).toEqual([]);
  inspector.attach(actor);
  expect(going(inspector, actor).toSorted()).toEqual(once.toSorted());
});

test('the effect of dropped events is in the actors before the recording', () => {
  const inspector = createInspector({ limit: 10 });
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  for (let count = 0; count < 1_000; count += 1) actor.send({ type: 'add' });
  const { actors, events } = inspector.recording();
  expect(events).toHaveLength(10);
  const all = new Map(actors.map((each) => [each.sessionId, each]));
  for (const event of events) applyTo(all, event);
  expect(all.values().next().value).toMatchObject({ snapshot: { context: { items: 1_000 } } });
});

test('large contexts shorten the recording', () => {
  const machine = createMachine({
    context: () => ({ text: Array.from({ length: 10 }, () => 'x'.repeat(19_000)) }),
  });
  const inspector = createInspector();
  const actor = createActor(machine, { inspect: inspector.inspect }).start();
  for (let count = 0; count < 1_000; count += 1) actor.send({ type: 'look' });
  const { events } = inspector.recording();
  expect(events.length).toBeGreaterThan(100);
  expect(JSON.stringify(events).length).toBeLessThan(70_000_000);
});

test('a repeated event counts its full size each time, copied or not', () => {
  const steps = Array.from({ length: 12 }, (_, index) => [
    `step${index}`,
    { always: index < 11 ? `step${index + 1}` : 'idle' },
  ]);
  const machine = createMachine({
    initial: 'idle',
    states: { idle: { on: { look: 'step0' } }, ...Object.fromEntries(steps) },
  });
  const inspector = createInspector();
  const actor = createActor(machine, { inspect: inspector.inspect }).start();
  const rows = Array.from({ length: 10 }, () => 'x'.repeat(18_000));
  for (let count = 0; count < 40; count += 1) actor.send({ type: 'look', rows });
  const { events } = inspector.recording();
  expect(events.length).toBeGreaterThan(100);
  expect(JSON.stringify(events).length).toBeLessThan(70_000_000);
});

test('events of the caller are cut like all others', () => {
  const inspector = createInspector();
  const [output, departs] = ['x'.repeat(2_000_000), 'It departs.'];
  const event = { type: 'call.answered', output };
  inspector.note({ type: '@dramaturg.step', sessionId: 'instance', step: 1, event, departs });
  const { events } = inspector.recording();
  expect(events).toMatchObject([{ step: 1, event: { type: 'call.answered' }, departs }]);
  expect(JSON.stringify(events).length).toBeLessThan(21_000);
});

test('the last ended runs are kept', () => {
  const machine = createMachine({
    initial: 'on',
    states: { on: { on: { end: 'over' } }, over: { type: 'final' } },
  });
  const inspector = createInspector({ limit: 10 });
  const first = createActor(machine, { inspect: inspector.inspect }).start();
  for (let count = 0; count < 200; count += 1)
    createActor(machine, { inspect: inspector.inspect }).start().send({ type: 'end' });
  const { actors } = inspector.recording();
  expect(actors[0]!.snapshot).toMatchObject({ status: 'active', value: first.getSnapshot().value });
  expect(actors.length).toBeLessThan(15);
});

test('a value outside JSON does not break the inspected program', () => {
  const cyclic: Record<string, unknown> = { when: new Date(0), big: 12n, map: new Map([['a', 1]]) };
  cyclic['self'] = cyclic;
  Object.defineProperty(cyclic, 'trap', {
    enumerable: true,
    get: () => {
      throw new Error('not now');
    },
  });
  const deep: { down?: unknown } = {};
  let at = deep;
  for (let level = 0; level < 100_000; level += 1) at = at.down = {};
  const inspector = createInspector();
  createActor(createMachine({ context: { cyclic, deep, run: () => {} } }), {
    inspect: inspector.inspect,
  }).start();
  const text = JSON.stringify(inspector.recording());
  expect(text).toContain('"unreadable: Error: not now"'.slice(1, -1));
  expect(text).toContain('(nested more deeply)');
  expect(text.length).toBeLessThan(10_000);
});

test('two actor systems are distinguished, and an event reaches the right actor', () => {
  const inspector = createInspector();
  const [one, two] = [0, 1].map(() => createActor(order, { inspect: inspector.inspect }).start());
  const [first, second] = [...folded(inspector.recording().events).values()].filter(
    ({ parentId }) => parentId === undefined,
  );
  expect(first!.sessionId).not.toBe(second!.sessionId);
  expect(inspector.send(second!.sessionId, { type: 'add' })).toBe(true);
  expect([one, two].map((actor) => actor!.getSnapshot().context.items)).toEqual([0, 1]);
  two!.stop();
  expect(inspector.send(second!.sessionId, { type: 'add' })).toBe(false);
});

test('an actor explains why it refuses an event, and the check is not recorded', () => {
  const inspector = createInspector();
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  const [{ sessionId }] = inspector.recording().events as [InspectorEvent];
  const { length } = inspector.recording().events;
  expect(inspector.refusal(sessionId, { type: 'add' })).toBeUndefined();
  // Its guard says no.
  expect(inspector.refusal(sessionId, { type: 'pay' })).toContain('does not accept "pay"');
  expect(inspector.refusal(sessionId, { type: 'xstate.stop' })).toContain('Only XState');
  expect(inspector.recording().events).toHaveLength(length);
  actor.stop();
  expect(inspector.refusal(sessionId, { type: 'add' })).toContain('has ended');
});

test('only an actor with the input of a port counts as a port call, not one with its name', () => {
  const worker: AnyActorLogic = createMachine({ id: 'worker' });
  const silent: AnyActorLogic = fromCallback(() => {});
  const callOf = (src: string, input: Record<string, unknown>, logic = silent) => {
    const inspector = createInspector();
    const machine = setup({ actors: { [src]: logic } }).createMachine({ invoke: { src, input } });
    createActor(machine, { inspect: inspector.inspect }).start();
    return [...folded(inspector.recording().events).values()].at(-1)!.call;
  };
  expect(callOf('timer', { key: 'a/1', at: 5 })).toEqual({
    port: 'timer',
    key: 'a/1',
    input: { key: 'a/1', at: 5 },
  });
  expect(callOf('timer', { key: 'egg', seconds: 5 })).toBeUndefined();
  expect(callOf('worker', { key: 'user-42' })).toBeUndefined();
  expect(callOf('constructor', { key: 'user-42' })).toBeUndefined();
  expect(callOf('runAgent', { key: 'a/1', agent: 'x', input: null }, worker)).toBeUndefined();
});

test('an XState machine is drawn as a chart', () => {
  const chart = chartOf(order);
  expect(chart).toMatchObject({
    id: 'order',
    initial: 'open',
    on: { hold: [{ target: '.held' }] },
    states: {
      open: { type: 'parallel', states: { back: { type: 'history' } } },
      held: { on: { 'go on': [{ target: 'open.back' }], 'after patience': [{ target: 'over' }] } },
      paying: { invoke: [{ id: 'charge', src: 'charge' }] },
    },
  });
  expect(JSON.parse(JSON.stringify(chart))).toEqual(chart);
});

function folded(events: readonly InspectorEvent[]): Map<string, RecordedActor> {
  const actors = new Map<string, RecordedActor>();
  for (const event of events) applyTo(actors, event);
  return actors;
}
