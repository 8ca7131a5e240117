import { resolve } from 'node:path';
import { visible } from '@dramaturg/compiler/text';
import type { CountedUnit } from '@dramaturg/drawing';
import * as z from 'zod';
import { readJsonArgument } from './read-json-argument.ts';
import { UsageError } from './usage-error.ts';

const results = z.object({
  coverage: z.array(
    z.object({
      definition: z.string(),
      units: z.array(
        z.object({
          kind: z.string(),
          path: z.array(z.union([z.string(), z.number()])),
          hits: z.number(),
        }),
      ),
    }),
  ),
});

const hint = 'Write it with: dramaturg test --coverage --json > coverage.json';

/**
 * Reads what tests reach of a definition from the output of `dramaturg test --coverage --json`.
 *
 * @throws UsageError when the file is something else, or is about other definitions
 */
export async function readCoverage(
  file: string,
  definition: string,
): Promise<readonly CountedUnit[]> {
  const read = results.safeParse(await readJsonArgument(file, '--coverage', hint));
  if (!read.success) throw new UsageError(`"${visible(file)}" has no coverage.`, hint);
  const { coverage } = read.data;
  const own = coverage.find((each) => resolve(each.definition) === resolve(definition));
  if (own) return own.units;
  const names = coverage.map((each) => visible(each.definition)).join(', ') || 'nothing';
  throw new UsageError(
    `"${visible(file)}" has the coverage of other definitions: ${names}.`,
    'Run the tests of this definition, from the folder of this command.',
  );
}
