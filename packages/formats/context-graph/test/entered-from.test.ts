import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, Conversation } from './conversation.ts';
import { child, parent } from './graphs.ts';
import { scaled } from '../../../../.config/scaled.ts';

test('state.entered names the state left immediately before, through calls of other graphs and back', async () => {
  const answers = fc
    .array(fc.constantFrom('E1', 'E2'), { maxLength: 4 })
    .map((exits) => [...exits, 'A1'].map((id): Answer => ['select', id]));
  await fc.assert(
    fc.asyncProperty(
      fc.array(answers, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('silent', 'speak'),
      async (turns, childTerminal) => {
        const conversation = Conversation.start(parent(), {
          graphs: { intake: child },
          childTerminal,
        });
        for (const turn of turns) {
          if (conversation.isOver) break;
          // A failed turn commits nothing, so its moves are dropped.
          if ((await conversation.say('so', ...turn)).failed !== undefined) return;
        }
        const entered = conversation.emitted.flatMap((event) =>
          event.type === 'state.entered' ? [event] : [],
        );
        expect(entered.map(({ from }) => from)).toEqual([
          undefined,
          ...entered.slice(0, -1).map(({ state }) => state),
        ]);
      },
    ),
    { numRuns: scaled(60) },
  );
});
