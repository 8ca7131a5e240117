import type { JsonObject } from '@dramaturg/compiler';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edges, loose, optional, planOf, state, strict, task, to, when } from './build.ts';
import { Conversation } from './conversation.ts';
import { scaled } from '../../../../.config/scaled.ts';

/** A state that leads to itself when it is complete, and to the next state after a number of turns. */
function circular(
  tasks: JsonObject,
  turns: number,
  scope: 'total' | 'without_progress',
  exitFirst: boolean,
): JsonObject {
  return planOf(
    state(
      'loop',
      tasks,
      edges(
        to('loop', exitFirst ? 2 : 1),
        when('after', 'turn_count_exceeded', { turns, scope }, exitFirst ? 1 : 2),
      ),
    ),
    state('after', loose(task('last', 'last'))),
  );
}

/** The number of messages until the loop is left; Infinity when it is never left. */
async function turnsToLeave(definition: JsonObject, extraction: JsonObject): Promise<number> {
  const conversation = await Conversation.start(definition);
  for (let turn = 1; turn <= 8; turn += 1) {
    await conversation.turn(extraction);
    if (conversation.state === 'after') return turn;
  }
  return Infinity;
}

describe('a state that leads back to itself', () => {
  test.each(['total', 'without_progress'] as const)(
    'is left after as many messages as its limit says, in the scope %s',
    async (scope) => {
      expect(await turnsToLeave(circular(loose(), 3, scope, false), {})).toBe(3);
      expect(await turnsToLeave(circular(loose(), 3, scope, true), {})).toBe(3);
    },
  );

  test('counts all messages with the scope total, also those that complete a task', async () => {
    const definition = circular(loose(task('greet')), 4, 'total', false);
    expect(await turnsToLeave(definition, { completed_tasks: ['greet'] })).toBe(4);
  });

  test('does not count messages that complete a task with the scope without_progress', async () => {
    const definition = circular(loose(task('greet')), 2, 'without_progress', false);
    expect(await turnsToLeave(definition, { completed_tasks: ['greet'] })).toBe(Infinity);
  });

  test.each(['total', 'without_progress'])(
    'does not count questions of the person with count: unanswered, in the scope %s',
    async (scope) => {
      const counting = (count?: string) =>
        planOf(
          state(
            'name',
            loose(task('ask', 'name')),
            edges(
              to('after', 1),
              when(
                'person',
                'turn_count_exceeded',
                { turns: 2, scope, ...(count && { count }) },
                2,
              ),
            ),
          ),
          state('after', loose(task('last', 'last'))),
          state('person', loose(task('other', 'other'))),
        );
      for (const [count, place] of [
        [undefined, 'person'],
        ['unanswered', 'name'],
      ] as const) {
        const conversation = await Conversation.start(counting(count));
        await conversation.turn({}, 'Why do you ask?');
        await conversation.turn({}, 'Who reads this？ I wonder.');
        expect(conversation.state).toBe(place);
        if (place === 'person') continue;
        await conversation.turn({}, 'Whatever.');
        expect(conversation.state).toBe('name');
        await conversation.turn({}, 'Hm.');
        expect(conversation.state).toBe('person');
      }
    },
  );

  test('makes no progress with data that was known before it was entered again', async () => {
    const definition = circular(loose(task('ask', 'name')), 3, 'without_progress', false);
    const conversation = await Conversation.start(definition);
    await conversation.turn({ deliverables: { name: 'Ada' } });
    await conversation.turns(2);
    expect(conversation.state).toBe('loop');
    await conversation.turn();
    expect(conversation.state).toBe('after');
  });

  test('is left by the option idleTurnLimit', async () => {
    const definition = planOf(
      state('loop', edges(to('loop'))),
      state('after', loose(task('last', 'last'))),
    );
    const conversation = await Conversation.start(definition, { idleTurnLimit: 2 });
    await conversation.turns(2);
    expect(conversation.state).toBe('after');
  });

  test('starts its tasks again each time, and the agent speaks in it again', async () => {
    const conversation = await Conversation.start(
      circular(loose(task('greet')), 9, 'total', false),
    );
    await conversation.turn({ completed_tasks: ['greet'] });
    expect(conversation.tasks('loop')).toEqual({});
    expect(conversation.context.visit).toMatchObject({ again: true, spoken: true, turns: 1 });
  });

  test('is left after its limit, whatever its tasks, its limit and the order of its transitions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(loose(), loose(task('greet')), strict(task('ask', 'name'), task('greet'))),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        fc.constantFrom<JsonObject>(
          {},
          { completed_tasks: ['greet'] },
          { deliverables: { name: 'Ada' }, completed_tasks: ['greet'] },
        ),
        async (tasks, limit, exitFirst, extraction) => {
          const left = await turnsToLeave(circular(tasks, limit, 'total', exitFirst), extraction);
          expect(left).toBe(limit);
        },
      ),
      { numRuns: scaled(40) },
    );
  });
});

describe('a cycle of two states', () => {
  test('counts on in a state that is entered again without progress', async () => {
    const conversation = await Conversation.start(
      planOf(
        state(
          'a',
          edges(when('after', 'turn_count_exceeded', { turns: 2, scope: 'total' }), to('b', 2)),
        ),
        state('b', edges(to('a'))),
        state('after', loose(task('last', 'last'))),
      ),
    );
    const visited = [];
    for (let turn = 0; turn < 4; turn += 1) visited.push((await conversation.turn()).state);
    expect(visited).toEqual(['b', 'a', 'after', 'after']);
  });

  test('starts the count again once something is recorded', async () => {
    const conversation = await Conversation.start(
      planOf(
        state(
          'a',
          loose(optional(task('note', 'note'))),
          edges(when('after', 'turn_count_exceeded', { turns: 3 }), to('b', 2)),
        ),
        state('b', edges(to('a'))),
        state('after', loose(task('last', 'last'))),
      ),
    );
    const visited = [];
    for (const note of ['', '', 'new', '', '', '', ''])
      visited.push((await conversation.turn(note === '' ? {} : { deliverables: { note } })).state);
    expect(visited.slice(0, 4)).not.toContain('after');
    expect(visited.at(-1)).toBe('after');
  });
});
