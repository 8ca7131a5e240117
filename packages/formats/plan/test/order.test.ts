import type { JsonObject } from '@dramaturg/compiler';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edges, goal, optional, planOf, state, strict, task, to } from './build.ts';
import { Conversation } from './conversation.ts';
import { scaled } from '../../../../.config/scaled.ts';

const intake = planOf(
  state(
    'intake',
    strict(
      task('who', 'name'),
      task('greet'),
      optional(task('note', 'note')),
      task('what', 'issue'),
    ),
    edges(to('after')),
  ),
  state('after', strict(task('last', 'last'))),
);

/** The values and tasks of a conversation, and its refusals. */
function outcome({ context, state: current, emitted }: Conversation) {
  return {
    state: current,
    tasks: context.tasks,
    deliverables: context.deliverables,
    refused: emitted.flatMap((event) => (event.type === 'update.refused' ? [event.what] : [])),
  };
}

describe('in strict order', () => {
  test('values of successive tasks are collected in any order', async () => {
    const strictly = planOf(
      state('a', strict(task('one', 'x'), task('two', 'y'), task('three', 'z')), edges(to('b'))),
      state('b', strict(task('last', 'last'))),
    );
    for (const deliverables of [
      { x: '1', y: '2', z: '3' },
      { z: '3', y: '2', x: '1' },
      { y: '2', z: '3', x: '1' },
    ] as JsonObject[]) {
      const heard = await Conversation.start(strictly);
      await heard.turn({ deliverables });
      const updated = await Conversation.start(strictly);
      await updated.set(deliverables);
      for (const conversation of [heard, updated])
        expect(outcome(conversation)).toMatchObject({
          state: 'b',
          tasks: { a: { one: 'completed', two: 'completed', three: 'completed' } },
          refused: [],
        });
    }
  });

  test('a done task and a value of the next task are both recorded', async () => {
    const conversation = await Conversation.start(
      planOf(state('a', strict(task('greet'), task('who', 'name')))),
    );
    await conversation.turn({ deliverables: { name: 'Ada' }, completed_tasks: ['greet'] });
    expect(outcome(conversation)).toMatchObject({
      tasks: { a: { greet: 'completed', who: 'completed' } },
      refused: [],
    });
  });

  test('done tasks are recorded in any order', async () => {
    const conversation = await Conversation.start(
      planOf(state('a', strict(task('one'), task('two'), task('three')))),
    );
    await conversation.complete('three', 'one', 'two');
    expect(outcome(conversation)).toMatchObject({
      tasks: { a: { one: 'completed', two: 'completed', three: 'completed' } },
      refused: [],
    });
  });

  test('skipped optional tasks are recorded in any order', async () => {
    const conversation = await Conversation.start(
      planOf(
        state(
          'a',
          strict(optional(task('one', 'x')), optional(task('two', 'y')), task('three', 'z')),
        ),
      ),
    );
    await conversation.skip('two', 'one');
    expect(outcome(conversation)).toMatchObject({
      tasks: { a: { one: 'skipped', two: 'skipped' } },
      refused: [],
    });
  });

  test('a value that comes too early waits for its turn, whatever else the update contains', async () => {
    const conversation = await Conversation.start(intake);
    await conversation.turn({ deliverables: { issue: 'none', name: 'Ada' } });
    expect(outcome(conversation)).toMatchObject({
      state: 'intake',
      tasks: { intake: { who: 'completed' } },
      refused: [],
    });
    expect(conversation.context.volunteered).toMatchObject({ issue: { value: 'none' } });
  });
});

describe('the order of the parts of an update changes nothing', () => {
  const plans = [
    intake,
    planOf(
      state(
        'strict',
        strict(
          task('who', 'name'),
          optional(task('note', 'note')),
          task('what', 'issue'),
          task('greet'),
        ),
        edges(to('after')),
      ),
      state('after', strict(task('last', 'last'))),
    ),
    planOf(
      state(
        'goal',
        goal([{ key: 'name' }, { key: 'issue', required: false }], task('greet')),
        edges(to('after')),
      ),
      state('after', strict(task('last', 'last'))),
    ),
  ];
  const part = fc.record({
    deliverables: fc.dictionary(
      fc.constantFrom('name', 'note', 'issue', 'last', 'other', '__goal_achieved__'),
      fc.constantFrom('yes', '7'),
    ),
    complete: fc.uniqueArray(fc.constantFrom('who', 'greet', 'note', 'what', 'nothing')),
    skip: fc.uniqueArray(fc.constantFrom('who', 'greet', 'note', 'what')),
    unconfirmed: fc.uniqueArray(fc.constantFrom('name', 'note', 'issue')),
  });

  test('from outside and from extractions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...plans),
        part,
        fc.boolean(),
        async (plan, update, heard) => {
          const tell = async (order: <Item>(items: Item[]) => Item[]) => {
            const conversation = await Conversation.start(plan);
            const deliverables = Object.fromEntries(order(Object.entries(update.deliverables)));
            const [complete, skip] = [order(update.complete), order(update.skip)];
            const unconfirmed = order(update.unconfirmed);
            if (heard)
              await conversation.turn({
                deliverables,
                unconfirmed,
                completed_tasks: complete,
                skipped_tasks: skip,
              });
            else await conversation.set(deliverables, { complete, skip, unconfirmed });
            const { refused, ...rest } = outcome(conversation);
            return { ...rest, refused: refused.toSorted() };
          };
          expect(await tell((items) => items.toReversed())).toEqual(await tell((items) => items));
        },
      ),
      { numRuns: scaled(100) },
    );
  });
});
