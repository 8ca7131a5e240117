import { expect, test } from 'vitest';
import { ProgressLine } from '../src/index.ts';

function lineOn(isTTY: boolean) {
  let now = 0;
  let written = '';
  const line = new ProgressLine({ isTTY, write: (text) => (written += text) }, () => now);
  return {
    /** What is written for a step that is shown at this time, in seconds. */
    at: (seconds: number, step: string, done?: number, all?: number) => {
      now = seconds * 1_000;
      written = '';
      line.show(step, done, all);
      return written;
    },
  };
}

test('a terminal shows the step, and the time left as soon as it can be guessed', () => {
  const { at } = lineOn(true);
  expect(at(0, 'preparing')).toBe('\r\u001B[Kpreparing');
  expect(at(60, 'kill 10', 10, 100)).toBe('\r\u001B[Kkill 10');
  expect(at(61, 'kill 11', 11, 100)).toBe('\r\u001B[Kkill 11');
  expect(at(70, 'kill 20', 20, 100)).toBe('\r\u001B[Kkill 20, 2 min left');
  expect(at(120, 'kill 70', 70, 100)).toBe('\r\u001B[Kkill 70, 30 s left');
  expect(at(150, 'kill 100', 100, 100)).toBe('\r\u001B[Kkill 100');
});

test('a stream that is no terminal gets a line every ten seconds', () => {
  const { at } = lineOn(false);
  expect(at(1, 'case 1', 1, 10_000)).toBe('');
  expect(at(11, 'case 11', 11, 10_000)).toBe('case 11, 2 h 47 min left\n');
  expect(at(12, 'case 12', 12, 10_000)).toBe('');
});
