import { check, compile, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import {
  edges,
  goal,
  loose,
  onKnown,
  onValue,
  planOf,
  state,
  strict,
  task,
  to,
  when,
} from './build.ts';
import { Conversation } from './conversation.ts';

/** Transitions of the whole plan, and targets that are not states. Spec: docs/formats/plan.md#everywhere */

const everywhere = (transitions: JsonObject[], ...states: JsonObject[]): JsonObject => ({
  ...planOf(...states),
  transitions,
});

const urgent = { key: 'emergency', type: 'boolean' };
const a = state('a', strict(task('one', 'name'), task('two', 'city')), edges(to('b')));
const b = state('b', goal(), edges(to('c')));
const c = state('c', loose(task('three', 'food')), edges(to('__end__')));
const help = state('help', loose(task('where', 'place', urgent)), edges(to('c')));
const toHelp = onValue('help', 'emergency', true);

const says = (conversation: Conversation, deliverables: JsonObject) =>
  conversation.turn({ deliverables });

describe('a transition of the plan', () => {
  test.each<[string, (conversation: Conversation) => Promise<unknown>]>([
    ['a', async () => {}],
    ['b', (conversation) => says(conversation, { name: 'Ada', city: 'Ulm' })],
    [
      'c',
      async (conversation) => {
        await says(conversation, { name: 'Ada', city: 'Ulm' });
        await conversation.turn({ goal_achieved: true });
      },
    ],
  ])('is taken from the state %s', async (from, go) => {
    const conversation = await Conversation.start(everywhere([toHelp], a, b, c, help));
    await go(conversation);
    expect(conversation.state).toBe(from);
    await says(conversation, { emergency: true });
    expect(conversation.state).toBe('help');
    await says(conversation, { place: 'here' });
    // It still holds, and leads back when the next message comes: an author excepts the states after it.
    expect(conversation.state).toBe('c');
  });

  test('is not looked at in the states that it excepts, nor in its target', async () => {
    const transition = { ...toHelp, except_states: ['c'] };
    const conversation = await Conversation.start(everywhere([transition], a, b, c, help));
    await says(conversation, { emergency: true });
    await conversation.turn();
    expect(conversation.state).toBe('help');
    await says(conversation, { place: 'here' });
    await conversation.turn();
    expect(conversation.state).toBe('c');
  });

  test('comes first when priorities are equal, and by its priority otherwise', async () => {
    const own = state('a', loose(task('one', 'name')), edges(onKnown('b', 'name', 2)));
    for (const [priority, target] of [
      [1, 'c'],
      [2, 'c'],
      [3, 'b'],
    ] as const) {
      const shared = { ...onKnown('c', 'name'), priority, except_states: ['b'] };
      const plans = everywhere([shared], own, b, c);
      const conversation = await Conversation.start(plans);
      await says(conversation, { name: 'Ada' });
      expect(conversation.state).toBe(target);
    }
  });

  test('reads values of the plan, which are recorded in every state and never asked for', async () => {
    const last = state('c', loose(task('x', 'food')));
    const asks = state('help', loose(task('where', 'place')));
    const heard = { ...everywhere([toHelp], a, b, last, asks), deliverables: [urgent] };
    const conversation = await Conversation.start(heard);
    expect(conversation.asked.reply.asks.map(({ name }) => name)).toEqual(['name']);
    await says(conversation, { emergency: true });
    expect([conversation.state, conversation.deliverable('emergency')]).toEqual(['help', true]);
  });

  test('has one place in the definition for all of its states', () => {
    const { chart } = compile(JSON.stringify(everywhere([toHelp], a, b, c, help)), {
      formats: [plan],
      format: 'plan',
    });
    const text = JSON.stringify(chart);
    expect(text.split('"origin":["transitions",0]')).toHaveLength(4);
  });
});

describe('a hand-over', () => {
  const human = { ...onValue('__human__', 'emergency', true), reason: 'an emergency' };
  const definition = { ...everywhere([human], a, b, c), deliverables: [urgent] };

  test('asks for a person, tells the contact, and stays in the state', async () => {
    const conversation = await Conversation.start(definition);
    await says(conversation, { emergency: true });
    expect(conversation.emitted).toContainEqual({
      type: 'help.requested',
      reason: 'an emergency',
      state: 'a',
    });
    expect([conversation.state, conversation.isWaiting]).toEqual(['a', true]);
    expect(conversation.asked.reply).toMatchObject({
      asks: [],
      directions: [{ text: 'Tell them that a colleague takes over.' }],
    });
    await says(conversation, { name: 'Ada' });
    expect(conversation.asked.reply.asks).toHaveLength(1);
    expect(conversation.emitted.filter(({ type }) => type === 'help.requested')).toHaveLength(1);
  });

  test('happens again when its values have changed and come back', async () => {
    const count = { key: 'count', type: 'number' };
    const conversation = await Conversation.start({
      ...everywhere([onKnown('__human__', 'count')], a, b, c),
      deliverables: [count],
    });
    for (const value of [1, 1, 2, 1]) await says(conversation, { count: value });
    expect(conversation.emitted.filter(({ type }) => type === 'help.requested')).toHaveLength(3);
  });

  test.each([false, null])('happens again when its value was %s in between', async (other) => {
    const conversation = await Conversation.start(definition);
    for (const emergency of [true, true, other, other, true]) await conversation.set({ emergency });
    expect(conversation.emitted.filter(({ type }) => type === 'help.requested')).toHaveLength(2);
  });

  test('may be an exit of a state, and then the others still count', async () => {
    const conversation = await Conversation.start(
      planOf(
        state(
          'a',
          loose(task('one', 'name')),
          edges(when('__human__', 'turn_count_exceeded', { turns: 2 }, 1), to('c', 2)),
        ),
        c,
      ),
    );
    await conversation.turns(3);
    expect(conversation.emitted.filter(({ type }) => type === 'help.requested')).toHaveLength(1);
    await says(conversation, { name: 'Ada' });
    expect(conversation.state).toBe('c');
  });
});

test('the end has the outcome of the author', async () => {
  const conversation = await Conversation.start(
    planOf(
      state(
        'a',
        loose(task('one', 'name')),
        edges({ ...onValue('__end__', 'name', 'Ada', 1), outcome: 'refused' }, to('__end__', 2)),
      ),
    ),
  );
  await says(conversation, { name: 'Ada' });
  expect(conversation.emitted.at(-1)).toMatchObject({
    type: 'conversation.ended',
    outcome: 'refused',
  });
});

test('a restart goes back to the first state, with nothing known', async () => {
  const again = onValue('__restart__', 'again', true);
  const conversation = await Conversation.start({
    ...everywhere([again], a, b, state('c', loose(task('x', 'food')))),
    deliverables: [{ key: 'again', type: 'boolean' }],
  });
  await says(conversation, { name: 'Ada', food: 'soup' });
  for (let round = 0; round < 2; round += 1) {
    await says(conversation, { again: true });
    expect([conversation.state, conversation.context.deliverables]).toEqual(['a', {}]);
    expect(conversation.context.volunteered).toEqual({});
    expect(conversation.asked.reply.asks.map(({ name }) => name)).toEqual(['name']);
    await says(conversation, { name: 'Eve', city: 'Ulm' });
  }
  expect(conversation.state).toBe('b');
});

describe('check', () => {
  const found = (definition: JsonObject) =>
    check(JSON.stringify(definition), { formats: [plan], format: 'plan' }).diagnostics.flatMap(
      ({ code, message, severity }) => (severity === 'info' ? [] : [`${code}: ${message}`]),
    );

  test.each<[string, JsonObject[], string]>([
    ['an unknown target', [onKnown('nowhere', 'name')], 'plan/unknown-target'],
    [
      'an unknown exception',
      [{ ...onKnown('c', 'name'), except_states: ['nowhere'] }],
      'plan/unknown-target',
    ],
    ['an undeclared key', [onKnown('c', 'nothing')], 'plan/undeclared-deliverable'],
    [
      'a reason of another target',
      [{ ...onKnown('c', 'name'), reason: 'x' }],
      'plan/field-of-another-target: "reason" has no effect here: it is for transitions to "__human__".',
    ],
    [
      'an outcome of another target',
      [{ ...onKnown('__human__', 'name'), outcome: 'x' }],
      'plan/field-of-another-target',
    ],
    [
      'one that another shadows',
      [onKnown('c', 'name'), { ...onValue('b', 'name', 'Ada'), priority: 2 }],
      'plan/shadowed-transition',
    ],
  ])('finds %s, once', (_, transitions, finding) => {
    const findings = found(everywhere(transitions, a, state('b', loose(task('x', 'y'))), c));
    expect(findings.filter((each) => each.startsWith(finding))).toHaveLength(1);
  });

  test('has nothing against a sound plan', () => {
    expect(
      found(
        everywhere(
          [{ ...toHelp, except_states: ['c'] }],
          a,
          state('b', loose(task('x', 'y')), edges(to('c'))),
          c,
          help,
        ),
      ),
    ).toEqual([]);
  });

  test('finds a state whose id is a target', () => {
    expect(found(planOf(state('__human__', loose(task('x', 'y'))))).join()).toContain(
      'plan/reserved-id',
    );
  });
});

test('transitions of the whole plan are limited by the number of states', () => {
  const shared = Array.from({ length: 101 }, () => toHelp);
  const many = Array.from({ length: 200 }, (_, index) => state(`s${index}`, loose()));
  const { diagnostics } = compile(JSON.stringify(everywhere(shared, ...many, help)), {
    formats: [plan],
  });
  expect(diagnostics.find(({ code }) => code === 'plan/too-many')).toMatchObject({
    message: 'This list has 101 entries. The limit is 99.',
    path: ['transitions'],
  });
});
