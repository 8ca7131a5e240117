import { expect, test } from 'vitest';
import { engineSentence, evaluateApart, hostileExpressions } from './hostile.ts';

test('every function ends with each combination of hostile arguments and the whole budget', async () => {
  const ended = await evaluateApart(hostileExpressions(1_000), 60_000);
  expect(ended.filter(({ outcome }) => outcome === 'endless' || outcome === 'thrown')).toEqual([]);
  expect(ended.filter(({ message = '' }) => engineSentence.test(message))).toEqual([]);
}, 3_600_000);
