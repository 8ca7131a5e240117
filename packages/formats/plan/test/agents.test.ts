import { check, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import { edges, loose, onKnown, planOf, state, strict, task, to, when } from './build.ts';
import { Conversation } from './conversation.ts';

/** Tasks that agents do, and what is started at the end. Spec: docs/formats/plan.md#agents */

const booking: JsonObject = {
  ...task('book', 'order'),
  agent: 'workflow:booking',
  input: { name: '{{name}}', text: 'For {{name}}', at: ['{{name}}', 1] },
  results: { order: 'orders.0.id' },
};
const ask = task('ask', 'name');
const last = state('b', loose(task('more', 'more')));
const failing = when('sorry', 'task_failed', { task_id: 'book' });
const sorry = state('sorry', loose(task('say', 'wish')));
const asking = (kind: typeof loose, ...transitions: JsonObject[]) =>
  planOf(state('a', kind(ask, booking), edges(...transitions, to('b', 2))), last, sorry);

describe.each([
  ['strict', strict],
  ['loose', loose],
])('in a %s state', (_, kind) => {
  test('an agent does a task once its values are known, before the reply', async () => {
    const conversation = await Conversation.start(asking(kind, failing));
    conversation.agent = () => ({ result: { orders: [{ id: 'o 1' }] } });
    expect(conversation.called).toEqual([]);
    expect(conversation.asked.reply.asks.map(({ name }) => name)).toEqual(['name']);
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(conversation.called).toEqual([
      {
        key: 'conversation/1/work/1',
        agent: 'workflow:booking',
        input: { name: 'Ada', text: 'For Ada', at: ['Ada', 1] },
      },
    ]);
    expect(conversation.deliverable('order')).toBe('o 1');
    expect(conversation.state).toBe('b');
    expect(conversation.isWaiting).toBe(true);
    expect(conversation.emitted.filter(({ type }) => type === 'message.sent')).toHaveLength(2);
  });

  test('a value of a result may have any key', async () => {
    const at = { ...task('book', 'at'), agent: 'booking', results: { at: 'slot.at' } };
    const conversation = await Conversation.start(
      planOf(state('a', kind(ask, at), edges(to('b'))), last),
    );
    conversation.agent = () => ({ result: { slot: { at: 'nine' } } });
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(conversation.deliverable('at')).toBe('nine');
  });

  test.each<[string, () => { result: JsonObject }]>([
    [
      'fails',
      () => {
        throw new Error('No room.');
      },
    ],
    ['has no result', () => ({ result: {} })],
    ['has a result of a wrong type', () => ({ result: { orders: [{ id: {} }] } })],
  ])('a transition takes an agent that %s', async (_case, agent) => {
    const conversation = await Conversation.start(asking(kind, failing));
    conversation.agent = agent;
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(conversation.called).toHaveLength(1);
    expect(conversation.state).toBe('sorry');
    expect(conversation.emitted.map(({ type }) => type)).toContain('task.failed');
    const titles = conversation.asked.reply.prompt.map(({ title }) => title);
    expect(titles.filter((title) => title.startsWith('Not '))).toEqual(['Not done']);
    expect(conversation.emitted.map(({ type }) => type)).not.toContain('help.requested');
    expect(conversation.isWaiting).toBe(true);
  });

  test('without a transition a person takes over, and the next message tries again', async () => {
    const conversation = await Conversation.start(asking(kind));
    conversation.agent = () => {
      throw new Error('No room.');
    };
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(conversation.emitted).toContainEqual(
      expect.objectContaining({
        type: 'help.requested',
        reason: expect.stringContaining('No room.'),
      }),
    );
    expect(conversation.state).toBe('a');
    conversation.agent = () => ({ result: { orders: [{ id: 'o 2' }] } });
    await conversation.turn();
    expect(conversation.called.map(({ key }) => key)).toEqual([
      'conversation/1/work/1',
      'conversation/2/work/2',
    ]);
    expect(conversation.state).toBe('b');
  });

  test('an optional task that fails is left out', async () => {
    const optional = { ...booking, required: false };
    const conversation = await Conversation.start(
      planOf(state('a', kind(ask, optional), edges(to('b'))), last),
    );
    conversation.agent = () => {
      throw new Error('No room.');
    };
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(conversation.state).toBe('b');
    expect(conversation.tasks('a')['book'] ?? 'skipped').toBe('skipped');
  });

  test('an update that does the task in the meantime counts', async () => {
    const conversation = await Conversation.start(asking(kind));
    conversation.agent = () => new Promise(() => {});
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(conversation.isWaiting).toBe(false);
    await conversation.set({ order: 'by hand' });
    expect(conversation.state).toBe('b');
    expect(conversation.isWaiting).toBe(true);
  });
});

test('a plan can begin with the task of an agent, and its values have a rule', async () => {
  const find = { ...task('find', { key: 'name', validate: 'known' }), agent: 'Finder' };
  const conversation = await Conversation.start(
    planOf(state('a', strict(find), edges(to('b'))), last),
    {},
    {},
    () => ({ result: { deliverables: { name: 'Ada' } } }),
  );
  expect(conversation.checked.map(({ value }) => value)).toEqual(['Ada']);
  expect(conversation.state).toBe('b');
  expect(conversation.emitted.filter(({ type }) => type === 'message.sent')).toHaveLength(1);
  expect(conversation.isWaiting).toBe(true);
});

test('agents that fail one after another do not go round', async () => {
  const works = (id: string) => ({ ...task(id, `of ${id}`), agent: id });
  const failed = (target: string) => edges(when(target, 'task_failed'));
  const conversation = await Conversation.start(
    planOf(state('a', loose(works('x')), failed('b')), state('b', loose(works('y')), failed('a'))),
  );
  await conversation.turn();
  expect(conversation.called.length).toBeLessThan(6);
  expect(conversation.isWaiting).toBe(true);
});

describe('at the end', () => {
  const onEnd = { start: 'workflow:next', input: { who: '{{name}}' } };
  const ending = (more: JsonObject = {}) => ({
    ...planOf(state('a', loose(ask), edges({ ...onKnown('__end__', 'name'), outcome: 'done' }))),
    on_end: { ...onEnd, ...more },
  });
  const started = (conversation: Conversation) =>
    conversation.emitted.filter(({ type }) => type === 'start.requested');

  test('a definition is started, with values', async () => {
    const conversation = await Conversation.start(ending());
    await conversation.turn({ deliverables: { name: 'Ada' } });
    expect(started(conversation)).toEqual([
      {
        type: 'start.requested',
        key: 'conversation/start',
        start: 'workflow:next',
        input: { who: 'Ada' },
      },
    ]);
  });

  test('only after the outcomes that it names, and not after a cancellation', async () => {
    const other = await Conversation.start(ending({ outcomes: ['completed'] }));
    await other.turn({ deliverables: { name: 'Ada' } });
    expect(started(other)).toEqual([]);
    const cancelled = await Conversation.start(ending());
    await cancelled.send({ type: 'cancel' });
    expect(started(cancelled)).toEqual([]);
    const same = await Conversation.start(ending({ outcomes: ['done'], input: null }));
    await same.turn({ deliverables: { name: 'Ada' } });
    expect(started(same)).toMatchObject([{ input: { name: 'Ada' } }]);
  });
});

describe('wrong inputs', () => {
  const findings = (definition: JsonObject) =>
    check(JSON.stringify(definition), { formats: [plan], format: 'plan' }).diagnostics.map(
      ({ code, path }) => `${code} ${path?.join('.')}`,
    );
  const withTask = (more: JsonObject, ...transitions: JsonObject[]) =>
    planOf(state('a', loose(ask, { ...booking, ...more }), edges(...transitions, to('b'))), last);
  const at = 'states.0.tasks.1';

  test.each<[string, JsonObject, string]>([
    ['an agent that is no name', withTask({ agent: 7 }), `shape/wrong-type ${at}.agent`],
    ['an agent without a name', withTask({ agent: ' ' }), `plan/empty-agent ${at}`],
    [
      'a value that nothing declares',
      withTask({ input: { x: ['{{nam}}'] } }),
      `plan/unknown-value ${at}.input.x.0`,
    ],
    ['an input that is a list', withTask({ input: [] }), `shape/wrong-type ${at}.input`],
    [
      'a result that is no deliverable',
      withTask({ results: { ordr: 'x' } }),
      `plan/unknown-result ${at}.results.ordr`,
    ],
    [
      'a path that is no text',
      withTask({ results: { order: 1 } }),
      `shape/wrong-type ${at}.results.order`,
    ],
    [
      'fields without an agent',
      withTask({ agent: undefined } as never),
      `plan/field-without-agent ${at}.input`,
    ],
    [
      'a plan that calls itself',
      { ...withTask({ agent: 'plan:plan' }) },
      `plan/starts-itself ${at}.agent`,
    ],
    [
      'a failure of an unknown task',
      withTask({}, when('b', 'task_failed', { task_id: 'bok' })),
      'plan/unknown-failed-task states.0.transitions.0.condition_config.task_id',
    ],
    [
      'a failure of a task without an agent',
      withTask({}, when('b', 'task_failed', { task_id: 'ask' })),
      'plan/unknown-failed-task states.0.transitions.0.condition_config.task_id',
    ],
    [
      'a task of a goal state',
      planOf(
        state('a', {
          type: 'goal',
          goal: { objective: 'x' },
          tasks: [{ ...booking, input: null }],
        }),
      ),
      'plan/agent-in-goal-state states.0.tasks.0.agent',
    ],
    [
      'a start without a name',
      { ...withTask({}), on_end: { start: '' } },
      'plan/empty-agent on_end',
    ],
    ['no start', { ...withTask({}), on_end: {} }, 'plan/empty-agent on_end'],
    [
      'a start of an unknown value',
      { ...withTask({}), on_end: { start: 'x', input: { a: '{{b}}' } } },
      'plan/unknown-value on_end.input.a',
    ],
    [
      'a start of itself',
      { ...withTask({}), on_end: { start: 'plan:plan' } },
      'plan/starts-itself on_end.start',
    ],
    [
      'a start after an unknown outcome',
      { ...withTask({}), on_end: { start: 'x', outcomes: ['compleet'] } },
      'plan/unknown-outcome on_end.outcomes.0',
    ],
    ['a start that is a list', { ...withTask({}), on_end: ['x'] }, 'shape/wrong-type on_end'],
  ])('%s', (_, definition, finding) => {
    expect(findings(definition)).toContain(finding);
  });

  test('a sound plan has no findings', () => {
    expect(
      findings({
        ...asking(loose, failing),
        on_end: { start: 'workflow:x', outcomes: ['completed'] },
      }),
    ).toEqual(['plan/ends-here states.1']);
  });
});
