import {
  createInspector,
  type InspectedEvent,
  type InspectorEvent,
  type RecordedActor,
} from '@dramaturg/inspector';
import { expect, test } from 'vitest';
import { callsIn, messagesIn, questionsIn, timersIn, visitedIn } from '../page/src/data/derive.ts';

function asking(port: string, input: Readonly<Record<string, unknown>>): RecordedActor {
  return {
    sessionId: String(input['key']),
    rootId: 'root',
    parentId: 'root',
    name: port,
    definition: undefined,
    call: { port, key: String(input['key']), input },
    snapshot: { status: 'active' },
    bornAt: 0,
    changedAt: 0,
  };
}

function callsOf(...actors: readonly RecordedActor[]) {
  return callsIn(new Map(actors.map((actor) => [actor.sessionId, actor])));
}

test('a timer without a time is not shown, and the next due timer is first', () => {
  const calls = callsOf(
    asking('timer', { key: 'b', at: 2_000 }),
    asking('timer', { key: 'a', at: 1_000 }),
    asking('timer', { key: 'c', at: 'soon' }),
    asking('timer', { key: 'd', at: 1e300 }),
  );
  expect(timersIn(calls).map(({ key }) => key)).toEqual(['a', 'b']);
});

test('a decision is shown when it has a text and options', () => {
  const options = [{ id: 'approve', description: '' }];
  const calls = callsOf(
    asking('requestDecision', { key: 'a', prompt: 'Does it go out?', options }),
    asking('requestDecision', { key: 'b', prompt: { a: 1 }, options }),
    asking('requestDecision', { key: 'c', prompt: 'Does it?', options: 'yes' }),
    asking('requestDecision', { key: 'd', prompt: 'Does it?', options: [null] }),
  );
  expect(questionsIn(calls)).toEqual([{ key: 'a', prompt: 'Does it go out?', options }]);
});

/** Events as two actors tell of them, and what was said by them. */
function conversation() {
  const inspector = createInspector();
  const events: InspectorEvent[] = [];
  inspector.subscribe((event) => void events.push(event));
  const eventTo = (sessionId: string, event: InspectedEvent, sourceId?: string, rootId?: string) =>
    inspector.note({ type: '@xstate.event', sessionId, event, sourceId }, rootId);
  const tells = (sessionId: string, event: InspectedEvent) =>
    inspector.note({ type: '@dramaturg.emitted', sessionId, event });
  const step = (event: InspectedEvent) =>
    inspector.note({ type: '@dramaturg.step', sessionId: 'instance', step: 1, event });
  const said = () => messagesIn(events, events.length).map(({ role, text }) => [role, text]);
  return { told: eventTo, tells, step, said };
}

const received = (text: string) => ({ type: 'message.received', text });

test('a message equal to the previous one is shown too', () => {
  const { told, tells, said } = conversation();
  for (const key of ['k1', 'k2']) {
    told('one', received('yes'));
    tells('one', { type: 'message.sent', text: 'yes', key });
  }
  expect(said()).toEqual([
    ['person', 'yes'],
    ['agent', 'yes'],
    ['person', 'yes'],
    ['agent', 'yes'],
  ]);
});

test('a stored conversation shows each message of its lifecycle once', () => {
  const { told, tells, step, said } = conversation();
  const text = 'What is your name?';
  const log = (role: string, id: string, line = text) =>
    tells('life', {
      type: role === 'contact' ? 'message.recorded' : 'message.send.requested',
      role,
      id,
      text: line,
    });
  step({ type: 'call.answered' });
  tells('flow', { type: 'message.sent', text, key: 'i/0/reply' });
  log('agent', 'i/0/reply');
  step(received(text));
  told('life', received(text));
  log('contact', 'i/received-1');
  step(received('Maria'));
  told('life', received('Maria'));
  log('contact', 'i/received-2', 'Maria');
  step({ type: 'call.answered' });
  // Two messages that waited for the turn are given to the flow as one.
  told('flow', received(`${text}\nMaria`));
  log('agent', 'i/reminder', 'Are you there?');
  log('manual', 'i/manual-1', 'A person here.');
  expect(said()).toEqual([
    ['agent', text],
    ['person', text],
    ['person', 'Maria'],
    ['agent', 'Are you there?'],
    ['note', 'A person here.'],
  ]);
});

test('two conversations with the same keys are both shown, and a forwarded message once', () => {
  const { told, tells, said } = conversation();
  for (const actor of ['one', 'two']) {
    told(actor, received('Hello'));
    told(`${actor}/child`, received('Hello'), actor, actor);
    tells(actor, { type: 'message.sent', text: `I am ${actor}`, key: 'run/0/reply' });
  }
  expect(said()).toEqual([
    ['person', 'Hello'],
    ['agent', 'I am one'],
    ['person', 'Hello'],
    ['agent', 'I am two'],
  ]);
});

test('the states that an actor has entered are its trail up to the shown moment', () => {
  const entered = (sessionId: string, state: string, title?: string): InspectorEvent =>
    ({
      type: '@dramaturg.emitted',
      sessionId,
      event: { type: 'state.entered', state, ...(title === undefined ? {} : { title }) },
      at: 0,
    }) as unknown as InspectorEvent;
  const events = [
    entered('x:0', 'welcome', 'Welcome'),
    entered('x:1', 'other'),
    entered('x:0', 'intake'),
    entered('x:0', 'later'),
  ];
  expect(visitedIn(events, 3, 'x:0')).toEqual(['Welcome', 'intake']);
  expect(visitedIn(events, 4, '')).toEqual([]);
});
