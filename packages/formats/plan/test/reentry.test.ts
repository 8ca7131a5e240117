import type { JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import {
  edges,
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

/** A state that is entered again asks again. Spec: docs/formats/plan.md#return */

/** The questions of the last reply, with the values that it offers. */
function asked({ asked: { reply } }: Conversation): unknown {
  return Object.fromEntries(reply.asks.map(({ name, unconfirmed = null }) => [name, unconfirmed]));
}

const says = (conversation: Conversation, deliverables: JsonObject) =>
  conversation.turn({ deliverables });

const menu = (more: JsonObject = {}) =>
  planOf(
    state(
      'menu',
      loose(task('pick', 'choice')),
      edges(onValue('hours', 'choice', 'hours', 1), onValue('price', 'choice', 'price', 2)),
      more,
    ),
    state(
      'hours',
      loose(task('back', { key: 'back', type: 'boolean' })),
      edges(onKnown('menu', 'back')),
    ),
    state('price', loose(task('amount', 'amount'))),
  );

describe('a state that is entered again', () => {
  test('asks its questions again: a menu', async () => {
    const conversation = await Conversation.start(menu());
    await says(conversation, { choice: 'hours' });
    expect(conversation.state).toBe('hours');
    await says(conversation, { back: true });
    expect([conversation.state, asked(conversation)]).toEqual(['menu', { choice: 'hours' }]);
    // Other words do not go into the branch of the last time.
    await conversation.turn();
    expect(conversation.state).toBe('menu');
    await says(conversation, { choice: 'price' });
    expect(conversation.state).toBe('price');
    const told = conversation.emitted.filter(({ type }) => type === 'deliverable.collected');
    expect(told).toMatchObject([
      { deliverable: 'choice', value: 'hours' },
      { deliverable: 'back' },
      { deliverable: 'choice', value: 'price', previous: 'hours' },
    ]);
  });

  test('asks again for another one, also for the same value', async () => {
    const conversation = await Conversation.start(menu());
    for (let round = 0; round < 3; round += 1) {
      await says(conversation, { choice: 'hours' });
      expect([conversation.state, asked(conversation)]).toEqual([
        'hours',
        { back: round === 0 ? null : true },
      ]);
      await says(conversation, { back: true });
      expect(conversation.state).toBe('menu');
    }
  });

  test('asks again what was not right', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('order', loose(task('dish', 'dish')), edges(to('check'))),
        state(
          'check',
          loose(task('right', { key: 'right', type: 'boolean' })),
          edges(onValue('order', 'right', false, 1), onValue('bye', 'right', true, 2)),
        ),
        state('bye', loose(task('last', 'last'))),
      ),
    );
    await says(conversation, { dish: 'soup' });
    await says(conversation, { right: false });
    await says(conversation, { dish: 'salad' });
    expect([conversation.state, asked(conversation)]).toEqual(['check', { right: false }]);
    await says(conversation, { right: false });
    expect([conversation.state, asked(conversation)]).toEqual(['order', { dish: 'salad' }]);
  });

  const isOut = (target: string, priority: number) =>
    when(
      target,
      'deliverable_value_numeric',
      { deliverable_key: 'guests', operator: 'gt', value: 10 },
      priority,
    );
  const guests = { key: 'guests', type: 'number' };

  test('asks again what is out of range, when it leads to itself', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('ask', loose(task('count', guests)), edges(isOut('ask', 1), to('book', 2))),
        state('book', loose(task('name', 'name'))),
      ),
    );
    await says(conversation, { guests: 50 });
    expect([conversation.state, asked(conversation)]).toEqual(['ask', { guests: 50 }]);
    await conversation.turn();
    expect(conversation.state).toBe('ask');
    await says(conversation, { guests: 4 });
    expect(conversation.state).toBe('book');
  });

  test('asks in a second state what the first one has asked, if the deliverable says so', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('ask', loose(task('count', guests)), edges(isOut('fewer', 1), to('book', 2))),
        state('fewer', loose(task('again', { ...guests, ask_again: true })), edges(to('book'))),
        state('book', loose(task('known', guests), task('name', 'name'))),
      ),
    );
    await says(conversation, { guests: 50 });
    expect([conversation.state, asked(conversation)]).toEqual(['fewer', { guests: 50 }]);
    await says(conversation, { guests: 8 });
    // Without the field, it is known in another state.
    expect([conversation.state, asked(conversation)]).toEqual(['book', { name: null }]);
  });

  test('keeps its answers with on_reentry: keep', async () => {
    const conversation = await Conversation.start(menu({ on_reentry: 'keep' }));
    await says(conversation, { choice: 'hours' });
    await says(conversation, { back: true });
    expect([conversation.state, asked(conversation)]).toEqual(['menu', {}]);
    await conversation.turn();
    expect(conversation.state).toBe('hours');
  });

  test('keeps what was set, and what the person has said elsewhere', async () => {
    const conversation = await Conversation.start(menu());
    await conversation.send({ type: 'plan.update', deliverables: { choice: 'hours' } });
    await says(conversation, { back: true });
    expect([conversation.state, asked(conversation)]).toEqual(['menu', {}]);
    await conversation.turn();
    await says(conversation, { choice: 'price', back: true });
    await conversation.turn();
    expect(conversation.state).toBe('price');
  });

  test('leaves out the optional tasks that were skipped, also of a sequence', async () => {
    for (const mode of [loose, strict]) {
      const conversation = await Conversation.start(
        planOf(
          state(
            'form',
            mode(
              optional(task('nick', 'nick')),
              task('name', 'name'),
              optional(task('fax', 'fax')),
            ),
            edges(to('check')),
          ),
          state(
            'check',
            loose(task('right', { key: 'right', type: 'boolean' })),
            edges(onValue('form', 'right', false, 1), onValue('bye', 'right', true, 2)),
          ),
          state('bye', loose(task('last', 'last'))),
        ),
      );
      await conversation.turn({ skipped_tasks: ['nick'] });
      await says(conversation, { name: 'Ada' });
      await says(conversation, { right: false });
      expect(conversation.state).toBe('form');
      expect(asked(conversation)).toMatchObject({ name: 'Ada' });
      expect(asked(conversation)).not.toHaveProperty('nick');
      await says(conversation, { name: 'Bea' });
      expect(conversation.state).toBe('check');
    }
  });

  test('lists its last value in the result', async () => {
    const conversation = await Conversation.start(menu());
    await says(conversation, { choice: 'hours' });
    await says(conversation, { back: true });
    expect(conversation.context.deliverables).toMatchObject({ choice: { value: 'hours' } });
  });
});
