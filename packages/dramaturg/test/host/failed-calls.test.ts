import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { type Drop, play, plays } from './conversations.ts';

/**
 * Plays every transcript of a conversation format on a host, in each way once for each of its calls, and in the short tests in one way
 * for one of them. That call fails the first time, and the conversation must be the same as without the failure.
 */

const ways: Readonly<Record<string, readonly Drop[]>> = {
  straight: [],
  'dropped after the failure': ['failed'],
  'dropped during the next attempt': ['repeated'],
  'dropped both times': ['failed', 'repeated'],
};

describe.each(Object.keys(plays))('%s', (format) => {
  const own = plays[format]!;

  test('some transcripts can be played on a host', () => {
    expect(own.length).toBeGreaterThanOrEqual(3);
  });

  test.each(own.map((each) => [`${each.fixture.name}: ${each.name}`, each] as const))(
    '%s: a call that fails once changes nothing',
    async (_, each) => {
      const { given: _given, ...straight } = await play(each);
      const answers = each.steps.filter(({ kind }) => kind === 'answer');
      expect(straight.calls).toHaveLength(answers.length);
      expect(straight.state).not.toBe('NEEDS_HUMAN_INTERVENTION');
      for (const [way, drops] of Object.entries(ways)) {
        if (!runsAll && drops.length < 2) continue;
        for (const [index, failing] of straight.calls.entries()) {
          if (!runsAll && index !== straight.calls.length >> 1) continue;
          // The failure of an agent is an answer.
          if (failing.includes('/work/')) continue;
          const { given: _again, ...failed } = await play(each, failing, drops);
          // Only the failed call is repeated.
          const calls = failed.calls.filter(
            (call, at) => call !== failing || at === failed.calls.lastIndexOf(call),
          );
          expect({ way, index, failing, ...failed, calls }).toEqual({
            way,
            index,
            failing,
            ...straight,
          });
        }
      }
    },
  );
});
