import type { Json } from '@dramaturg/compiler';
import type { PlacedFailure } from './prepared-tests.ts';
import type { FileResult } from './run-file.ts';

/** The text of a test file after failed expectations were replaced by what was found, and their number. */
export interface UpdatedFile {
  readonly text: string;
  readonly changes: number;
}

/**
 * Rewrites expectations that do not hold. Rows of examples stay, because their values are in the table. Patterns and forbidden
 * texts also stay, because no value could replace them.
 */
export function updatedFile({ source, results }: FileResult): UpdatedFile {
  const failures = results
    .filter(({ row }) => row === undefined)
    .flatMap(({ failures: own }) => own.filter(isUpdatable))
    .toSorted((a, b) => b.range.start.offset - a.range.start.offset);
  let { text } = source;
  for (const { range, found } of failures)
    text = `${text.slice(0, range.start.offset)}${written(found!)}${text.slice(range.end.offset)}`;
  return { text, changes: failures.length };
}

function isUpdatable({ found, expected, range }: PlacedFailure): boolean {
  if (found === undefined || range.start.offset === range.end.offset) return false;
  return typeof expected !== 'string' || !expected.startsWith('/');
}

/** JSON is valid in YAML too. A plain word needs no quotes. */
function written(value: Json): string {
  return typeof value === 'string' && /^[A-Za-z][\w -]*[\w]$/.test(value) && !isReserved(value)
    ? value
    : JSON.stringify(value);
}

function isReserved(word: string): boolean {
  return /^(true|false|null|yes|no|on|off)$/i.test(word);
}
