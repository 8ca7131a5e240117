import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asl } from '@dramaturg/asl';
import { check, type Checked, link, placesIn } from '@dramaturg/compiler';
import type { Difference } from '../../layout.ts';
import { dryRun } from './dry-run.ts';
import type { JudgedFile } from './manifest.ts';

/** Compares the verdict of the compiler with the expected one, and runs every definition that the compiler accepts. */
export async function judge(
  folder: string,
  { file, expected, why }: JudgedFile,
): Promise<Difference> {
  const refusals: string[] = [];
  const crashes: string[] = [];
  for (const { chart, diagnostics } of definitionsIn(join(folder, file))) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    refusals.push(
      ...errors.map(
        ({ code, message, range }) =>
          `${range.start.line}:${range.start.column} ${code}: ${message}`,
      ),
    );
    const crash = chart && (await dryRun(link(chart, asl.behaviour)));
    if (crash !== undefined) crashes.push(crash);
  }
  const verdict = verdictOn(expected, refusals.length > 0, crashes.length > 0);
  const actual = [verdict, ...crashes, ...refusals].join(' | ');
  const isRemark = !['crashed', 'wrongly accepted', 'wrongly refused'].includes(verdict);
  return {
    expected: [expected, why].filter(Boolean).join(': '),
    actual,
    verdict,
    ...(isRemark && { isRemark }),
  };
}

/** Checks the definition of a file, or each of those in a template. Placeholders have no values. */
function definitionsIn(path: string): readonly Checked[] {
  const text = readFileSync(path, 'utf8');
  const options = { formats: [asl], fileName: basename(path) };
  const found = placesIn(text, options);
  if (!found) return [check(text, options)];
  return found.places.flatMap(({ source, format, options: own, values }) =>
    source ? [check(source, { ...options, format, options: own, values })] : [],
  );
}

function verdictOn(
  expected: JudgedFile['expected'],
  isRefused: boolean,
  hasCrashed: boolean,
): string {
  if (hasCrashed) return 'crashed';
  const found = isRefused ? 'refused' : 'accepted';
  if (expected === 'disputed') return `disputed, ${found}`;
  if (expected === (isRefused ? 'refuse' : 'accept')) return isRefused ? 'rightly refused' : found;
  return `wrongly ${found}`;
}
