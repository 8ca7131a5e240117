import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { type Drop, play, plays } from './conversations.ts';

/**
 * Plays every transcript of a conversation format on a host, once for every third of its calls, in the short tests for one of them. That call
 * fails the first time, and the conversation must be the same as without the failure.
 */

/** Successive calls fail in different ways. */
const ways: readonly (readonly [string, readonly Drop[]])[] = [
  ['dropped both times', ['failed', 'repeated']],
  ['straight', []],
  ['dropped after the failure', ['failed']],
  ['dropped during the next attempt', ['repeated']],
];

describe.each(Object.keys(plays))('%s', (format) => {
  const own = plays[format]!;

  test('some transcripts can be played on a host', () => {
    expect(own.length).toBeGreaterThanOrEqual(3);
  });

  test.each(
    own.map((each, number) => [`${each.fixture.name}: ${each.name}`, each, number] as const),
  )('%s: a call that fails once changes nothing', async (_, each, number) => {
    const { given: _given, ...straight } = await play(each);
    const answers = each.steps.filter(({ kind }) => kind === 'answer');
    expect(straight.calls).toHaveLength(answers.length);
    expect(straight.state).not.toBe('NEEDS_HUMAN_INTERVENTION');
    for (const [index, failing] of straight.calls.entries()) {
      const isChosen = runsAll ? (number + index) % 3 === 0 : index === straight.calls.length >> 1;
      if (!isChosen) continue;
      const [way, drops] = ways[runsAll ? (number + index) % ways.length : 0]!;
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
  });
});
