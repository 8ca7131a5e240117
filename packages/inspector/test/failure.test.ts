import { createInspector, type InspectorEvent, type RecordedActor } from '@dramaturg/inspector';
import { createActor, createMachine, setup } from 'xstate';
import { expect, test } from 'vitest';
import { failureIn } from '../page/src/data/failure.ts';
import { Playback } from '../page/src/data/playback.ts';
import { explanationsIn } from '../page/src/data/why/explanations.ts';

/** The failure at the end of what an inspector has recorded. */
function failureAfter(events: readonly InspectorEvent[]) {
  const { length } = events;
  const playback = new Playback({ actors: [], events });
  return failureIn(playback.actorsAfter(length), playback.events, length);
}

function recorded(run: (inspector: ReturnType<typeof createInspector>) => void) {
  const inspector = createInspector();
  const events: InspectorEvent[] = [];
  inspector.subscribe((event) => void events.push(event));
  run(inspector);
  return events;
}

const states = { Price: {}, Refuse: { meta: { origin: ['States', 'Refuse'] } } };

function failing(output: unknown, emitted: readonly { readonly type: string }[] = []) {
  const machine = createMachine({
    id: 'flow',
    initial: 'Price',
    states: { ...states, end: { type: 'final' } },
    on: { end: '.end' },
    output: output as never,
  });
  return recorded((inspector) => {
    const actor = createActor(machine, { inspect: inspector.inspect }).start();
    const [{ sessionId }] = inspector.recording().events as [RecordedActor & InspectorEvent];
    for (const event of emitted) inspector.note({ type: '@dramaturg.emitted', sessionId, event });
    actor.send({ type: 'end' });
  });
}

const entered = ['Price', 'Refuse'].map((state) => ({ type: 'state.entered', state }));

test('a failed output says the error, the cause, and the state that was entered last', () => {
  const events = failing(
    { status: 'failed', error: 'Refused', cause: 'Nobody wanted it' },
    entered,
  );
  expect(failureAfter(events)).toMatchObject({
    state: 'Refuse',
    error: 'Refused',
    cause: 'Nobody wanted it',
    origin: ['States', 'Refuse'],
  });
});

const broken = { error: 'Unreadable', cause: 'No ink' };
const failed = { type: 'state.failed', state: 'Price', ...broken };
const caught = { type: 'error.caught', state: 'Price', ...broken, catcher: 0, next: 'Refuse' };

test('the state whose failure has ended the run is named, and not the one beside it', () => {
  const events = failing({ status: 'failed', ...broken }, [...entered, failed]);
  expect(failureAfter(events)).toMatchObject({ state: 'Price', error: 'Unreadable' });
});

test('a failure that was caught, or that is not the one of the output, is not named', () => {
  for (const emitted of [
    [failed, caught, ...entered],
    [failed, ...entered],
  ]) {
    const events = failing({ status: 'failed', error: 'Other', cause: null }, emitted);
    expect(failureAfter(events)).toMatchObject({ state: 'Refuse', error: 'Other' });
  }
});

test('Why says which error was caught, in which state it arose, and what follows', () => {
  const events = failing({ status: 'succeeded' }, [failed, caught]);
  const playback = new Playback({ actors: [], events });
  const said = playback.moments.flatMap((moment) => {
    const [before, after] = [moment.from, moment.to].map((count) => playback.actorsAfter(count));
    return explanationsIn(moment, events, before!, after!, undefined).map((each) => each.headline);
  });
  expect(said.join('\n')).toContain(
    'Price failed: Unreadable: No ink; Price catches Unreadable: No ink, and Refuse follows; ',
  );
});

test.each([{ status: 'succeeded' }, { failure_reason: null }, 'failed', null])(
  'the output %j is no failure',
  (output) => expect(failureAfter(failing(output))).toBeUndefined(),
);

test('an error of a plain machine is a failure with its message, and XState reports it as before', async () => {
  const machine = setup({
    actions: {
      explode: () => {
        throw new RangeError('Too far', { cause: new Error('The bridge is out') });
      },
    },
  }).createMachine({
    id: 'walk',
    initial: 'here',
    states: { here: { on: { go: 'there' } }, there: { entry: 'explode' } },
  });
  const reported: unknown[] = [];
  const events = recorded((inspector) => {
    const actor = createActor(machine, { inspect: inspector.inspect });
    actor.subscribe({ error: (error) => void reported.push(error) });
    actor.start();
    actor.send({ type: 'go' });
  });
  await Promise.resolve();
  expect(reported).toEqual([new RangeError('Too far')]);
  expect(failureAfter(events)).toMatchObject({
    error: 'RangeError: Too far',
    cause: 'The bridge is out',
  });
});

test('a failed call that its caller has handled is no failure of the run', () => {
  const events = recorded((inspector) => {
    const note = (sessionId: string, parentId: string | undefined, status: 'active' | 'error') =>
      inspector.note({
        type: '@xstate.actor',
        sessionId,
        parentId,
        name: sessionId,
        definition: undefined,
        snapshot: { status },
        ...(parentId === undefined ? {} : { call: { port: 'reply', key: 'k', input: {} } }),
      });
    note('flow', undefined, 'active');
    note('reply', 'flow', 'error');
  });
  expect(failureAfter(events)).toBeUndefined();
});

test('a flow that rests after a failed call has failed until it is tried again', () => {
  const machine = createMachine({
    id: 'flow',
    initial: 'waiting',
    states: {
      waiting: { on: { fail: 'failed' } },
      failed: { tags: ['failed'], on: { 'turn.retry': 'waiting' } },
    },
  });
  const events = recorded((inspector) => {
    const actor = createActor(machine, { inspect: inspector.inspect }).start();
    const { sessionId } = inspector.recording().events[0]!;
    const event = { type: 'turn.failed', port: 'reply', code: 'port/failed', message: 'No answer' };
    inspector.note({ type: '@dramaturg.emitted', sessionId, event });
    actor.send({ type: 'fail' });
  });
  expect(failureAfter(events)).toMatchObject({
    error: 'The call of the port "reply" failed (port/failed)',
    cause: 'No answer',
  });
});
