import { check } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { plan } from '../src/index.ts';
import { edges, loose, planOf, state, task, to, when } from './build.ts';
import { Conversation } from './conversation.ts';

const scopes = ['total', 'without_progress'] as const;
type Limit = readonly [turns: number, scope: (typeof scopes)[number]];

/** A state with two limits. `low` leads back to it, where messages without progress count on. */
function twoLimits([turns, scope]: Limit, [fewer, other]: Limit, isFirst: boolean) {
  return planOf(
    state(
      'ask',
      loose(task('facts', 'one', 'two', 'three', 'four', 'five', 'never')),
      edges(
        when('high', 'turn_count_exceeded', { turns, scope }, isFirst ? 1 : 2),
        when('low', 'turn_count_exceeded', { turns: fewer, scope: other }, isFirst ? 2 : 1),
      ),
    ),
    state(
      'low',
      loose(task('rest', 'later')),
      edges(when('ask', 'turn_count_exceeded', { turns: 1 })),
    ),
    state('high', loose(task('end', 'last'))),
  );
}

function isReported(definition: object): boolean {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [plan], format: 'plan' });
  return diagnostics.some(
    ({ code, path }) => code === 'plan/limit-never-reached' && path.at(-1) === 0,
  );
}

/** Whether `high` is reached, when the person gives a new value in the turns of a pattern: `+` is one. */
async function reaches(definition: object, pattern: string): Promise<boolean> {
  const conversation = await Conversation.start(definition);
  const keys = ['one', 'two', 'three', 'four', 'five'];
  for (const sign of pattern) {
    const key = sign === '+' ? keys.shift() : undefined;
    await conversation.turn(key === undefined ? {} : { deliverables: { [key]: 'x' } });
    if (conversation.state === 'high') return true;
  }
  return false;
}

const patterns = ['--------', '+-+-+-+-', '++++----', '+--+--+-', '-+++----'];

describe.each(scopes)('a limit of turns %s', (scope) => {
  test.each(scopes)(
    'beside one %s is reported if and only if nothing reaches it',
    async (other) => {
      for (const isFirst of [true, false])
        for (const [turns, fewer] of [
          [3, 1],
          [3, 2],
          [2, 2],
          [2, 3],
        ] as const) {
          // The rule of shadowed transitions reports an equal limit that comes first.
          if (turns === fewer && !isFirst) continue;
          const definition = twoLimits([turns, scope], [fewer, other], isFirst);
          let isReached = false;
          for (const pattern of patterns) isReached ||= await reaches(definition, pattern);
          expect([turns, fewer, isFirst, isReported(definition)]).toEqual([
            turns,
            fewer,
            isFirst,
            !isReached,
          ]);
        }
    },
  );
});

test('the option idleTurnLimit is such a limit, and a state that leads to itself is none', () => {
  const definition = planOf(
    state(
      'ask',
      loose(task('facts', 'one')),
      edges(when('high', 'turn_count_exceeded', { turns: 5 }, 1), to('ask', 2)),
    ),
    state('high', loose(task('end', 'last'))),
  );
  const codes = (options: object) =>
    check(JSON.stringify(definition), {
      formats: [plan],
      format: 'plan',
      options,
    } as never).diagnostics.map(({ code }) => code);
  expect(codes({})).not.toContain('plan/limit-never-reached');
  expect(codes({ idleTurnLimit: 5 })).not.toContain('plan/limit-never-reached');
  expect(codes({ idleTurnLimit: 4 })).toContain('plan/limit-never-reached');
});
