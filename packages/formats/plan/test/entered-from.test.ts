import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { edges, loose, onKnown, onValue, planOf, state, task, to } from './build.ts';
import { Conversation } from './conversation.ts';
import { scaled } from '../../../../.config/scaled.ts';

/** The entered states, each with the previous state. */
function moves({ emitted }: Conversation): (string | undefined)[][] {
  return emitted.flatMap((event) =>
    event.type === 'state.entered' ? [[event.from, event.state]] : [],
  );
}

describe('state.entered', () => {
  test('names no previous state for the first state', async () => {
    const conversation = await Conversation.start(planOf(state('a', loose(task('t', 'x')))));
    expect(moves(conversation)).toEqual([[undefined, 'a']]);
  });

  test('names the state that was left immediately before, in a chain of several', async () => {
    const conversation = await Conversation.start(
      planOf(
        state('a', loose(task('a', 'x')), edges(to('b'))),
        state('b', loose(task('b', 'x')), edges(to('c'))),
        state('c', loose(task('c', 'x')), edges(to('d'))),
        state('d', loose(task('d', 'y'))),
      ),
    );
    await conversation.turn({ deliverables: { x: 'yes' } });
    expect(moves(conversation).slice(1)).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ]);
  });

  test('names the state itself after a transition to itself', async () => {
    const conversation = await Conversation.start(
      planOf(state('a', loose(task('a', 'x')), edges(to('a'))), state('b')),
    );
    await conversation.turn({ deliverables: { x: 'yes' } });
    expect(moves(conversation)).toEqual([
      [undefined, 'a'],
      ['a', 'a'],
    ]);
  });

  test('always names the state of the previous event', async () => {
    const key = fc.constantFrom('x', 'y', 'z');
    const edge = fc
      .tuple(fc.constantFrom('a', 'b', 'c', 'd'), key, fc.boolean())
      .map(([target, of, known]) => (known ? onKnown(target, of) : onValue(target, of, 'yes')));
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(...['a', 'b', 'c', 'd'].map(() => fc.array(edge, { minLength: 1, maxLength: 3 }))),
        fc.array(fc.dictionary(key, fc.constantFrom('yes', 'no'), { maxKeys: 2 }), {
          maxLength: 4,
        }),
        async (lists, turns) => {
          const conversation = await Conversation.start(
            planOf(
              ...lists.map((list, index) =>
                state('abcd'[index]!, loose(task('t', 'x', 'y', 'z')), edges(...list)),
              ),
            ),
          );
          for (const deliverables of turns) await conversation.turn({ deliverables });
          const entered = moves(conversation);
          expect(entered.map(([from]) => from)).toEqual([
            undefined,
            ...entered.slice(0, -1).map(([, target]) => target),
          ]);
        },
      ),
      { numRuns: scaled(60) },
    );
  });
});
