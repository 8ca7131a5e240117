import type { JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { edges, loose, onValue, planOf, state, task, to, when } from './build.ts';
import { Conversation } from './conversation.ts';

/** Corrections of what has decided something. Spec: docs/formats/plan.md#corrections */

const adult = (target: string, priority: number) =>
  when(
    target,
    'deliverable_value_numeric',
    { deliverable_key: 'age', operator: '>=', expected_value: 18 },
    priority,
  );

/** Age decides between a contract and a guardian, and the size then between two contracts. */
const shop = planOf(
  state(
    'intake',
    loose(task('one', { key: 'age', type: 'number' }, 'name')),
    edges(adult('size', 1), to('guardian', 2)),
  ),
  state(
    'size',
    loose(task('two', 'size')),
    edges(onValue('large', 'size', 'L', 1), to('small', 2)),
  ),
  state('large', loose(task('three', 'signed')), edges(to('end', 1))),
  state('small', loose(task('four', 'signed'))),
  state('guardian', loose(task('five', 'guardian_name', 'size'))),
  state('end', loose(task('six', 'rating'))),
);

const at = async (place: string, definition: JsonObject = shop) => {
  const conversation = await Conversation.start(definition);
  await conversation.turn({ deliverables: { age: 25, name: 'Ada' } });
  if (place !== 'size') await conversation.turn({ deliverables: { size: 'L' } });
  if (place === 'end') await conversation.turn({ deliverables: { signed: 'yes' } });
  expect(conversation.state).toBe(place);
  conversation.news();
  return conversation;
};

describe.each(['size', 'large', 'end'])('in "%s"', (place) => {
  test.each<[string, (conversation: Conversation) => Promise<unknown>, string]>([
    ['the person', (one) => one.turn({ deliverables: { age: 15 } }), 'guardian'],
    ['an update', (one) => one.set({ age: 15 }, { correct: true }), 'guardian'],
    ['an update that is no correction', (one) => one.set({ age: 15 }), place],
    ['a value that decides the same', (one) => one.turn({ deliverables: { age: 30 } }), place],
    ['a value that decides nothing', (one) => one.turn({ deliverables: { name: 'Eve' } }), place],
    [
      'a mention in passing',
      (one) => one.turn({ deliverables: { age: 15 }, unconfirmed: ['age'] }),
      place,
    ],
    ['a withdrawal', (one) => one.turn({ withdrawn: { age: true } }), 'guardian'],
    ['an update with null', (one) => one.set({ age: null }), 'guardian'],
  ])('%s', async (_, correct, target) => {
    const conversation = await at(place);
    await correct(conversation);
    expect(conversation.state).toBe(target);
    if (target === place) return;
    // Answers of the way that is left behind are in force no more; the deciding state is not entered again.
    expect(Object.keys(conversation.context.deliverables).toSorted()).toEqual(
      conversation.context.deliverables['age'] ? ['age', 'name'] : ['name'],
    );
    const entered = conversation.news().filter((line) => line.startsWith('state'));
    expect(entered.join(' ')).not.toContain('intake');
    await conversation.turn({ deliverables: { guardian_name: 'Eve', size: 'S' } });
    expect(conversation.isOver).toBe(true);
  });
});

test('a later decision is repeated when the first one stays', async () => {
  const conversation = await at('end');
  await conversation.turn({ deliverables: { size: 'S' } });
  expect(conversation.state).toBe('small');
  expect(conversation.deliverable('signed')).toBeUndefined();
  expect(conversation.deliverable('size')).toBe('S');
  // And back: the correction is corrected.
  await conversation.turn({ deliverables: { size: 'L' } });
  expect(conversation.state).toBe('large');
});

test('a state that is left behind is as if it had never been entered', async () => {
  const optional = { ...task('gift', 'card'), required: false };
  const plan = planOf(
    state(
      'size',
      loose(task('two', 'size'), { ...task('wrap', 'paper'), required: false }),
      edges(onValue('large', 'size', 'L', 1), to('small', 2)),
    ),
    state('large', loose(task('three', 'signed'), optional, task('five', 'name'))),
    state('small', loose(task('four', 'signed'))),
  );
  const conversation = await Conversation.start(plan);
  await conversation.skip('wrap');
  await conversation.turn({ deliverables: { size: 'L' } });
  await conversation.skip('gift');
  await conversation.turn({ deliverables: { signed: 'yes' } });
  const { tasks } = conversation.context;
  expect(tasks['large']).toEqual({ gift: 'skipped', three: 'completed' });
  await conversation.turn({ deliverables: { size: 'S' } });
  // The deciding state keeps its tasks.
  expect(conversation.context.tasks).toEqual({ size: tasks['size'], small: {} });
  expect(conversation.deliverable('signed')).toBeUndefined();
  await conversation.turn({ deliverables: { size: 'L' } });
  expect(conversation.context).toMatchObject({ state: 'large', visit: { again: false } });
  expect(conversation.context.tasks).toEqual({ size: tasks['size'], large: {} });
  expect(conversation.asked.reply.asks.map(({ name }) => name)).toEqual(['signed', 'name', 'card']);
});

test('with on_correction "keep" what was decided stays decided', async () => {
  const conversation = await at('large', { ...shop, on_correction: 'keep' });
  await conversation.turn({ deliverables: { age: 15 } });
  expect(conversation.state).toBe('large');
  expect(conversation.context.decisions).toBeUndefined();
});

test('an answer in the same message is left behind, too', async () => {
  const conversation = await at('large');
  await conversation.turn({ deliverables: { age: 15, signed: 'yes' } });
  expect(conversation.state).toBe('guardian');
  expect(conversation.deliverable('signed')).toBeUndefined();
});

test('a value that is never asked for is no correction of itself', async () => {
  const plan = {
    ...shop,
    deliverables: [{ key: 'mood' }],
    transitions: [onValue('guardian', 'mood', 'bad')],
  };
  const conversation = await at('large', plan);
  await conversation.turn({ deliverables: { mood: 'good' } });
  await conversation.turn({ deliverables: { mood: 'bad' } });
  expect(conversation.state).toBe('guardian');
  expect(conversation.deliverable('size')).toBe('L');
});

test('volunteered and set values stay', async () => {
  const conversation = await at('size');
  await conversation.turn({ deliverables: { rating: 'five' } });
  await conversation.set({ size: 'L' });
  await conversation.turn({ deliverables: { age: 15 } });
  expect(conversation.state).toBe('guardian');
  expect(conversation.deliverable('size')).toBe('L');
  expect(conversation.context.volunteered).toHaveProperty('rating');
});

test('what an agent has done on the way stays, and a person is asked', async () => {
  const plan = planOf(
    state('intake', loose(task('one', 'age')), edges(adult('order', 1), to('guardian', 2))),
    state(
      'order',
      loose({ ...task('pay', 'receipt'), agent: 'workflow:pay' }, task('two', 'size')),
      edges(to('end')),
    ),
    state('guardian', loose(task('three', 'guardian_name'))),
    state('end', loose(task('four', 'rating'))),
  );
  const agent = () => ({ result: { receipt: 'r-1' } });
  const conversation = await Conversation.start(plan, {}, {}, agent);
  await conversation.turn({ deliverables: { age: 25 } });
  await conversation.turn({ deliverables: { size: 'L' } });
  expect(conversation.state).toBe('end');
  await conversation.turn({ deliverables: { age: 15 } });
  expect(conversation.state).toBe('end');
  expect(conversation.deliverable('receipt')).toBe('r-1');
  expect(conversation.emitted).toContainEqual({
    type: 'help.requested',
    state: 'end',
    reason: 'A correction changes what led to the task "pay", which an agent has done.',
  });
});

test('the next answer of a loop is no correction, and a correction is about the last answer', async () => {
  const loop = planOf(
    state(
      'ask',
      loose(task('one', 'more')),
      edges(onValue('item', 'more', 'yes', 1), to('done', 2)),
    ),
    state('item', loose(task('two', 'item')), edges(to('ask'))),
    state('done', loose(task('three', 'name'))),
  );
  const conversation = await Conversation.start(loop);
  for (const item of ['a', 'b']) {
    await conversation.turn({ deliverables: { more: 'yes' } });
    expect(conversation.state).toBe('item');
    await conversation.turn({ deliverables: { item } });
    expect(conversation.state).toBe('ask');
  }
  await conversation.turn({ deliverables: { more: 'no' } });
  expect(conversation.state).toBe('done');
  await conversation.turn({ deliverables: { more: 'yes' } });
  expect(conversation.state).toBe('item');
});

test('a transition to a person or to the end is taken', async () => {
  const lead = (target: string) =>
    planOf(
      state(
        'intake',
        loose(task('one', { key: 'age', type: 'number' })),
        edges(
          adult('next', 1),
          { ...to(target, 2), ...(target === '__human__' && { reason: 'A minor' }) },
          to('other', 3),
        ),
      ),
      state('next', loose(task('two', 'name'))),
      state('other', loose(task('three', 'name'))),
    );
  for (const target of ['__human__', '__end__']) {
    const conversation = await Conversation.start(lead(target));
    await conversation.turn({ deliverables: { age: 25 } });
    conversation.news();
    await conversation.turn({ deliverables: { age: 15 } });
    expect(conversation.isOver).toBe(target === '__end__');
    const asked = conversation.emitted.flatMap((event) =>
      event.type === 'help.requested' ? [event.reason] : [],
    );
    expect(asked).toEqual(target === '__end__' ? [] : ['A minor']);
  }
});
