import { counted, visible } from '@dramaturg/compiler/text';
import type { PlacedFailure, PlacedResult } from '../../../testing/prepared-tests.ts';
import type { FileResult } from '../../../testing/run-file.ts';
import type { Output } from '../../output.ts';

/** A test for people: one line, and below it the expectations that do not hold. */
export function printResult(file: string, result: PlacedResult, { paint }: Output): string {
  const { name, failures, duration } = result;
  if (failures.length === 0)
    return `  ${paint('green', '✓')} ${visible(name)} ${paint('dim', `${Math.round(duration)} ms`)}\n`;
  const lines = failures.map((failure) => printFailure(file, failure, paint));
  const [calls = []] = failures.map((failure) => failure.calls ?? []);
  const more = calls.length > callsShown ? `, and ${calls.length - callsShown} more` : '';
  const asked =
    calls.length > 0
      ? `      ${paint('dim', `calls: ${visible(calls.slice(0, callsShown).join(', '))}${more}`)}\n`
      : '';
  return `  ${paint('red', '✗')} ${visible(name)}\n${lines.join('')}${asked}`;
}

/** Calls that are listed below a failure; the JSON has all. */
const callsShown = 12;

function printFailure(
  file: string,
  { message, hint, range: { start } }: PlacedFailure,
  paint: Output['paint'],
): string {
  const place = paint('dim', `${visible(file)}:${start.line}:${start.column}`);
  const advice = hint === undefined ? '' : `      ${paint('cyan', 'hint:')} ${visible(hint)}\n`;
  return `      ${visible(message)}\n${advice}      ${place}\n`;
}

/**
 * The last line of a run.
 *
 * @param seconds how long it took
 */
export function printTotals(
  files: readonly FileResult[],
  seconds: number,
  { paint }: Output,
): string {
  const results = files.flatMap((file) => file.results);
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const passed = results.length - failed;
  const unread = files.filter(({ subject }) => subject === undefined).length;
  const sign = failed + unread > 0 ? paint('red', '✗') : paint('green', '✓');
  const counts = `${counted(passed, 'test')} passed${failed > 0 ? `, ${failed} failed` : ''}`;
  const withErrors = unread > 0 ? ` (${unread} with mistakes, so not run)` : '';
  return `\n${sign} ${counts}, ${counted(files.length, 'file')}${withErrors}, ${seconds.toFixed(1)} s.\n`;
}
