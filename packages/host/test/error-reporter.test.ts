import { expect, test } from 'vitest';
import { Schedule } from '../src/admission/schedule.ts';
import { manualClock } from '../src/clock/manual.ts';
import { hostStopped } from '../src/errors.ts';
import { ErrorReporter } from '../src/host/error-reporter.ts';
import { nextTurn } from '@dramaturg/compiler/machine';
import { StoreError } from '../src/store/errors.ts';

function stage(isStopping = false) {
  const clock = manualClock({ startAt: 0 });
  const reports: [message: string, doing: string, count: number][] = [];
  const reporter = new ErrorReporter({
    onError: (error, doing, count) => void reports.push([(error as Error).message, doing, count]),
    schedule: new Schedule(clock),
    isStopping: () => isStopping,
  });
  const pass = async (milliseconds: number) => {
    clock.set(clock.now() + milliseconds);
    await nextTurn();
  };
  return { reporter, reports, pass };
}

const full = new StoreError('store/full', 'No space is left.');

test('of a flood, the first error is reported at once, and the rest with its number every ten seconds', async () => {
  const { reporter, reports, pass } = stage();
  for (let index = 0; index < 8_300; index += 1)
    reporter.report(full, `carrying the instance "i${index}"`);
  expect(reports).toEqual([['No space is left.', 'carrying the instance "i0"', 1]]);
  await pass(10_000);
  expect(reports[1]).toEqual(['No space is left.', 'carrying the instance "i8299"', 8_299]);
  reporter.report(full, 'carrying the instance "a"');
  reporter.report(full, 'carrying the instance "b"');
  expect(reports).toHaveLength(2);
  await pass(10_000);
  expect(reports[2]).toEqual(['No space is left.', 'carrying the instance "b"', 2]);
});

test('no report has a secret, neither at once nor at the end of the interval', async () => {
  const { reporter, reports, pass } = stage();
  for (let index = 0; index < 2; index += 1)
    reporter.report(new Error(`The key sk-abcdefgh1234567${index} was refused.`), 'asking');
  await pass(10_000);
  const redacted = 'The key [redacted] was refused.';
  expect(reports).toEqual([
    [redacted, 'asking', 1],
    [redacted, 'asking', 1],
  ]);
});

test('every error is in exactly one count', async () => {
  const { reporter, reports, pass } = stage();
  for (let index = 0; index < 1_000; index += 1) {
    reporter.report(full, `carrying the instance "i${index % 7}"`);
    if (index % 13 === 0) await pass(1_700);
  }
  reporter.flush();
  expect(reports.reduce((sum, [, , count]) => sum + count, 0)).toBe(1_000);
  expect(reports.length).toBeLessThan(20);
});

test('kinds are counted apart: by what was done, and by the code of the error', () => {
  const { reporter, reports } = stage();
  reporter.report(full, 'carrying the instance "a"');
  reporter.report(new StoreError('store/failed', 'EIO'), 'carrying the instance "a"');
  reporter.report(full, 'loading the instance "a \\"quoted\\" name"');
  reporter.report(full, 'loading the instance "b"');
  reporter.report(new Error('down'), 'delivering a message of "a"', 'delivering through main');
  reporter.report(new Error('down'), 'delivering a message of "a"', 'delivering through sms');
  expect(reports.map(([, doing]) => doing)).toEqual([
    'carrying the instance "a"',
    'carrying the instance "a"',
    'loading the instance "a \\"quoted\\" name"',
    'delivering a message of "a"',
    'delivering a message of "a"',
  ]);
});

test('trouble that is over begins anew', async () => {
  const { reporter, reports, pass } = stage();
  reporter.report(full, 'carrying the instance "a"');
  await pass(10_000);
  reporter.report(full, 'carrying the instance "a"');
  expect(reports.map(([, , count]) => count)).toEqual([1, 1]);
});

test('while the host stops, work that the stop has ended is no trouble', () => {
  const { reporter, reports } = stage(true);
  reporter.report(new StoreError('store/closed', 'The store has been closed.'), 'firing');
  reporter.report(hostStopped(), 'carrying the instance "a"');
  reporter.report(full, 'firing');
  expect(reports).toHaveLength(1);
});
