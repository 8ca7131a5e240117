import { missingWords, reachedKeys } from '@dramaturg/compiler/chart';
import type { Source } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import type { CoveredUnit } from '../../../testing/coverage/coverage.ts';
import type { Output } from '../../output.ts';

const kinds = [
  ['state', 'states'],
  ['transition', 'transitions'],
  ['condition', 'conditions that do not hold'],
  ['operand', 'truth values of operands'],
] as const;

/** The most unreached units that are printed for one definition. */
const missingMax = 20;

/** Prints what the tests of a definition do not reach, and the share that they reach. */
export function printCoverage(
  file: string,
  source: Source,
  units: readonly CoveredUnit[],
  { paint }: Output,
): string {
  const counts = kinds.flatMap(([kind, title]) => {
    const own = units.filter((unit) => unit.kind === kind);
    const hit = own.filter(({ hits }) => hits > 0).length;
    return own.length === 0 ? [] : [`${title} ${hit}/${own.length}`];
  });
  const reached = reachedKeys(units);
  const missing = units
    .filter(({ hits }) => hits === 0)
    .map((unit) => {
      const { label, path } = unit;
      const { line, column } = source.locate(path).start;
      const what = missingWords(unit, reached);
      return `  ${paint('yellow', what)}: ${visible(label)} ${paint('dim', `${visible(file)}:${line}:${column}`)}\n`;
    });
  const more = missing.length - missingMax;
  const rest = more > 0 ? `  and ${more} more: --json lists all\n` : '';
  const listed = missing.slice(0, missingMax).join('');
  return `${visible(file)}: ${percent(units)} % (${counts.join(', ')})\n${listed}${rest}`;
}

/** The reached share, rounded down: 100 means all. */
export function percent(units: readonly CoveredUnit[]): number {
  if (units.length === 0) return 100;
  return Math.floor((100 * units.filter(({ hits }) => hits > 0).length) / units.length);
}
