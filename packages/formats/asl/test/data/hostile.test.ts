import { expect, test } from 'vitest';
import { scaled } from '../../../../../.config/scaled.ts';
import { engineSentence, evaluateApart, hostileExpressions } from './hostile.ts';

test('every function ends with hostile arguments, with a value or an error of the state', async () => {
  const ended = await evaluateApart(hostileExpressions(scaled(40)), 60_000, 20_000);
  expect(ended.filter(({ outcome }) => outcome === 'endless' || outcome === 'thrown')).toEqual([]);
  expect(ended.filter(({ message = '' }) => engineSentence.test(message))).toEqual([]);
});
