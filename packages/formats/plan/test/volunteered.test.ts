import type { JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { mostAhead } from '../src/behaviour/state.ts';
import {
  edges,
  goal,
  loose,
  onKnown,
  onValue,
  optional,
  planOf,
  state,
  strict,
  task,
  to,
  when,
} from './build.ts';
import { Conversation } from './conversation.ts';

/** What is said before its turn is kept, and used when its turn comes. Spec: docs/formats/plan.md#said-early */

const greetingAndAccount = planOf(
  state('greeting', loose(task('name', 'name')), edges(to('account'))),
  state('account', strict(task('number', { key: 'number', type: 'number' })), edges(to('bye'))),
  state('bye', loose(task('reason', 'reason'))),
);

/** The names of the values that the last reply asked for. */
function questions({ asked }: Conversation): string[] {
  return asked.reply.asks.map(({ name }) => name);
}

describe('a value for a later state', () => {
  test('is used when its turn comes, and its question is not asked', async () => {
    const conversation = await Conversation.start(greetingAndAccount);
    await conversation.turn({ deliverables: { name: 'Tom', number: '4711' } });
    expect([conversation.state, questions(conversation)]).toEqual(['bye', ['reason']]);
    expect(conversation.context.deliverables).toEqual({
      name: { value: 'Tom', state: 'greeting' },
      number: { value: 4711, state: 'account', volunteered: true, message: 2 },
    });
    expect(conversation.emitted).toContainEqual({
      type: 'deliverable.volunteered',
      deliverable: 'number',
      value: 4711,
      state: 'greeting',
      message: 2,
    });
  });

  const branching = (later: JsonObject, ...exits: JsonObject[]) =>
    planOf(
      state('a', loose(task('one', 'x')), edges(...exits, to('b', 3))),
      state('b', loose(task('two', later))),
      state('c', loose(task('three', 'z'))),
    );

  test.each([
    ['exists', onKnown('c', 'y', 1)],
    ['has a value', onValue('c', 'y', 'yes', 1)],
    [
      'is one of several',
      when('c', 'deliverable_value_in', { deliverable_key: 'y', values: ['yes'] }, 1),
    ],
  ])('is seen by a condition that asks whether it %s', async (_, exit) => {
    const conversation = await Conversation.start(branching({ key: 'y' }, exit));
    await conversation.turn({ deliverables: { y: 'yes' } });
    expect(conversation.state).toBe('c');
  });

  test('is seen as a number', async () => {
    const comparison = { deliverable_key: 'y', operator: 'gt', value: 3 };
    const exit = when('c', 'deliverable_value_numeric', comparison, 1);
    const conversation = await Conversation.start(branching({ key: 'y', type: 'number' }, exit));
    await conversation.turn({ deliverables: { y: '4' } });
    expect(conversation.state).toBe('c');
  });

  test('is not seen if the person is to confirm it', async () => {
    const conversation = await Conversation.start(
      branching({ key: 'y', confirm: true }, onKnown('c', 'y', 1)),
    );
    await conversation.turn({ deliverables: { y: 'yes' } });
    expect(conversation.state).toBe('a');
  });

  test('of a later task of a strict state moves nothing before its turn', async () => {
    const conversation = await Conversation.start(
      planOf(
        state(
          'a',
          strict(task('one', 'x'), task('two', 'y')),
          edges(onKnown('c', 'y', 1), to('b', 3)),
        ),
        state('b'),
        state('c', loose(task('three', 'z'))),
      ),
    );
    await conversation.turn({ deliverables: { y: 'yes' } });
    expect(conversation.state).toBe('a');
    await conversation.turn({ deliverables: { x: 'now' } });
    expect(conversation.state).toBe('c');
  });

  test('that does not fit is refused at once, and asked for when its turn comes', async () => {
    const conversation = await Conversation.start(greetingAndAccount);
    await conversation.turn({ deliverables: { number: 'many' } });
    expect(conversation.news()).toContain('refused: "number": "many" is not a number.');
    await conversation.turn({ deliverables: { name: 'Tom' } });
    expect(questions(conversation)).toEqual(['number']);
  });

  test('that is corrected with a misfit keeps its value, and says so', async () => {
    const conversation = await Conversation.start(greetingAndAccount);
    await conversation.turn({ deliverables: { number: 1 } });
    await conversation.turn({ deliverables: { number: 'two' } });
    expect(conversation.context.volunteered).toMatchObject({ number: { value: 1 } });
    expect(conversation.context.refused).toEqual([]);
    expect(conversation.asked.reply.prompt.map(({ title }) => title)).toContain('Not recorded');
  });

  test('that another state declares with another type is judged again there', async () => {
    const number = { key: 'x', type: 'number' };
    const conversation = await Conversation.start(
      planOf(
        state(
          'a',
          loose(task('way', 'way')),
          edges(onValue('b', 'way', 'b', 2), onValue('c', 'way', 'c', 1)),
        ),
        state('c', loose(task('text', 'x'), task('more', 'more'))),
        state('b', loose(task('count', number))),
      ),
    );
    // The nearest declaration in the order of the transitions takes any text.
    await conversation.turn({ deliverables: { x: 'many' } });
    await conversation.turn({ deliverables: { way: 'b' } });
    expect(conversation.news()).toContain('refused: "x": "many" is not a number.');
    expect([questions(conversation), conversation.context.volunteered]).toEqual([['x'], {}]);
  });

  test('that never has its turn is part of the outcome', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('a', loose(task('way', 'way')), edges(onValue('b', 'way', 'b', 1), to('c', 2))),
        state('b', loose(task('fax', 'fax'))),
        state('c'),
      ),
    );
    await conversation.turn({ deliverables: { fax: '7', way: 'c' } });
    expect(conversation.emitted.at(-1)).toEqual({
      type: 'conversation.ended',
      outcome: 'completed',
      state: 'c',
      deliverables: { way: 'c' },
      volunteered: { fax: '7' },
    });
  });

  test('is kept only if its key and its type are known, whatever a model answers', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('a', loose(task('one', 'x')), edges(to('b'))),
        state(
          'b',
          loose(
            task(
              'two',
              { key: 'kind', type: 'enum', enum_values: ['s', 'l'] },
              { key: 'size', type: 'number' },
            ),
            task('three', { key: 'sure', type: 'boolean' }, 'text'),
          ),
        ),
      ),
    );
    const all = ['kind', 'size', 'sure', 'text', 'admin', '__proto__', '__goal_achieved__'];
    const hostile: JsonObject = Object.fromEntries(all.map((key) => [key, 'x']));
    await conversation.turn({ deliverables: { ...hostile, x: { y: 'x' } } });
    expect([conversation.state, Object.keys(conversation.context.volunteered ?? {})]).toEqual([
      'a',
      ['text'],
    ]);
    await conversation.turn({ deliverables: { text: 'x'.repeat(20_001), size: Number.MAX_VALUE } });
    expect(conversation.context.volunteered).toMatchObject({ text: { value: 'x' }, size: {} });
  });

  test('is refused if no way leads to it', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('a', loose(task('one', 'x')), edges(to('b'))),
        state('b', loose(task('two', 'y'), optional(task('three', 'z')))),
        state('lost', loose(task('four', 'lost')), edges(to('a'))),
      ),
    );
    await conversation.turn({ deliverables: { lost: '1', __proto__: '2', constructor: '3' } });
    expect(conversation.context.volunteered).toBeUndefined();
  });

  test('answers an agent with tools like a person', async () => {
    const conversation = await Conversation.start(greetingAndAccount);
    await conversation.set({ number: 5 }, { reasoning: 'from the invoice' });
    expect(conversation.context.volunteered).toEqual({
      number: { value: 5, state: 'greeting', reasoning: 'from the invoice' },
    });
  });
});

describe('the present question', () => {
  test('stays open, and the message counts as progress', async () => {
    const conversation = await Conversation.start(greetingAndAccount);
    await conversation.turns(2);
    await conversation.turn({ deliverables: { number: 5 } });
    const [ask] = conversation.asked.reply.asks;
    expect(ask).toMatchObject({ name: 'name', attempts: 0 });
  });

  test('a state without required work is left by an answer that is about later ones', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('hello', loose(optional(task('mood', 'mood'))), edges(to('b'))),
        state('b', loose(task('two', 'y'))),
      ),
    );
    await conversation.turn({ deliverables: { y: '1' } });
    expect(conversation.deliverable('y')).toBe('1');
  });

  test('a state that collects nothing also hears what is said for later', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('hello', edges(onKnown('b', 'code'))),
        state('b', loose(task('one', 'x'), task('two', 'code'))),
      ),
    );
    await conversation.turn({ deliverables: { x: '1' } });
    expect(conversation.context.volunteered).toMatchObject({ x: { value: '1' } });
  });

  test('a goal state keeps what a later state asks for, and other words as insights', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('talk', goal([{ key: 'topic' }]), {
          transitions: [{ target_state_id: 'b', condition_type: 'goal_achieved' }],
        }),
        state('b', loose(task('one', 'x'), task('two', 'y'))),
      ),
    );
    await conversation.turn({ deliverables: { x: '1', mood: 'good' } });
    expect(conversation.context.deliverables).toMatchObject({ mood: { discovered: true } });
    await conversation.turn({ goal_achieved: true });
    expect(conversation.tasks('b')).toEqual({ one: 'completed' });
  });
});

describe('a value that the author wants confirmed', () => {
  const confirmed = planOf(
    state('a', loose(task('one', 'x')), edges(to('b'))),
    state('b', strict(task('two', { key: 'y', confirm: true })), edges(to('c'))),
    state('c', loose(task('three', 'z'))),
  );

  test('is put to the person when its turn comes, and counts once they confirm it', async () => {
    const conversation = await Conversation.start(confirmed);
    await conversation.turn({ deliverables: { x: '1', y: 'said' } });
    expect(conversation.state).toBe('b');
    expect(conversation.asked.reply.asks).toMatchObject([{ name: 'y', unconfirmed: 'said' }]);
    await conversation.turn();
    expect(conversation.state).toBe('b');
    expect(conversation.asked.extract.asked).toMatchObject({ unconfirmed: 'said' });
    await conversation.turn({ deliverables: { y: 'said' } });
    expect(conversation.state).toBe('c');
    expect(conversation.context.deliverables['y']).toMatchObject({
      value: 'said',
      volunteered: true,
    });
  });

  test('is asked for like any other if it was not said before', async () => {
    const conversation = await Conversation.start(confirmed);
    await conversation.turn({ deliverables: { x: '1' } });
    expect(conversation.asked.reply.asks[0]).not.toHaveProperty('unconfirmed');
    await conversation.turn({ deliverables: { y: 'asked' } });
    expect(conversation.state).toBe('c');
  });

  test('waits for confirmation if it was said in the place of another answer, until it is said again', async () => {
    const conversation = await Conversation.start(
      planOf(
        state(
          'a',
          loose(task('one', 'x'), task('two', { key: 'consent', type: 'boolean', confirm: true })),
        ),
      ),
    );
    await conversation.turn({ deliverables: { consent: true } });
    expect(conversation.context.volunteered).toMatchObject({ consent: { value: true } });
    await conversation.turn({ deliverables: { x: '1' } });
    expect(conversation.asked.reply.asks).toMatchObject([{ name: 'consent', unconfirmed: true }]);
    await conversation.turn({ deliverables: { consent: false } });
    expect(conversation.deliverable('consent')).toBe(false);
    // An agent with tools says itself what is confirmed.
    const updated = await Conversation.start(confirmed);
    await updated.set({ x: '1' });
    await updated.set({ y: '2' });
    expect(updated.state).toBe('c');
  });

  test('waits for confirmation also when it was mentioned in passing in its own state', async () => {
    const conversation = await Conversation.start(confirmed);
    await conversation.turn({ deliverables: { x: '1' } });
    await conversation.turn({ deliverables: { y: 'maybe' }, unconfirmed: ['y'] });
    expect([conversation.state, conversation.deliverable('y')]).toEqual(['b', undefined]);
    await conversation.turn({ deliverables: { y: 'sure' } });
    expect(conversation.emitted).toContainEqual(
      expect.objectContaining({ deliverable: 'y', value: 'sure', previous: 'maybe' }),
    );
  });
});

test('an extraction is asked for a limited number of later values, the nearest first', async () => {
  const keys = (from: string) =>
    Array.from({ length: 80 }, (_, index) => ({ key: `${from}${index}` }));
  const conversation = await Conversation.start(
    planOf(
      state('a', loose(task('one', 'x')), edges(to('c'))),
      state('b', loose(task('far', ...keys('far')))),
      state('c', loose(task('near', ...keys('near'))), edges(to('b'))),
    ),
  );
  await conversation.turn({ deliverables: { far79: 'too far', far5: 'near enough' } });
  const { deliverables } = conversation.asked.extract.schema['properties'] as Record<
    string,
    JsonObject
  >;
  expect(Object.keys(deliverables!['properties'] as JsonObject)).toEqual([
    'x',
    ...[...keys('near'), ...keys('far')].slice(0, mostAhead).map(({ key }) => key),
  ]);
  expect(Object.keys(conversation.context.volunteered ?? {})).toEqual(['far5']);
});

test.each([
  ['deliverable_exists', { deliverable_key: 'phone' }],
  ['deliverable_value', { deliverable_key: 'phone', expected_value: '5' }],
  ['deliverable_value_in', { deliverable_key: 'phone', values: ['5', '6'] }],
  ['deliverable_value_numeric', { deliverable_key: 'phone', operator: '>', expected_value: 4 }],
])('%s sees a value that a later state asks for', async (type, config) => {
  const conversation = await Conversation.start(
    planOf(
      state('a', loose(task('one', 'name')), edges(when('known', type, config, 1), to('later', 2))),
      state('later', loose(task('two', 'phone'))),
      state('known', loose(task('three', 'rest'))),
    ),
  );
  await conversation.turn({ deliverables: { phone: '5' } });
  expect(conversation.state).toBe('known');
});
