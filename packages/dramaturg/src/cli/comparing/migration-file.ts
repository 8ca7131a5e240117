import { dirname, join } from 'node:path';
import { hasErrors, isRecord, printPretty } from '@dramaturg/compiler';
import { problem, read, Reporter } from '@dramaturg/compiler/format';
import { checkShape } from '@dramaturg/compiler/shapes';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import type { MigrationMap } from '@dramaturg/host';
import * as z from 'zod';
import { readText, standardInput, titleOf } from '../files.ts';
import { outputTo } from '../output.ts';
import { requireNoErrors } from '../definition-error.ts';
import { exitCodes } from '../usage-error.ts';

/** A migration file. Spec: docs/versions.md#the-migration-file */
const shape = z.object({
  definition: z.string(),
  new: z.string(),
  states: z.record(z.string(), z.string()).nullish(),
  data: z.record(z.string(), z.string().nullable()).nullish(),
  calls: z.enum(['keep', 'block']).optional(),
});

const unknownField = problem(
  'migration/unknown-field',
  'error',
  (field: string, known: readonly string[]) => ({
    message: `A migration has no field "${field}".`,
    hint: didYouMean(field, known) ?? `Its fields are ${quotedList(known)}.`,
  }),
);

export interface MigrationFile {
  /** The name under which the instances were started. */
  readonly definition: string;
  /** The file of the new version. */
  readonly new: string;
  readonly map: MigrationMap;
}

/**
 * Reads a migration, and prints its mistakes with their positions.
 *
 * @throws DefinitionError when it has errors
 */
export async function readMigration(file: string): Promise<MigrationFile> {
  const source = read(await readText(file), { fileName: 'migration.yaml' });
  const reporter = new Reporter(source);
  reporter.run(() => {
    checkShape(source.value, shape, reporter.reportShape);
    const known = Object.keys(shape.shape);
    for (const field of isRecord(source.value) ? Object.keys(source.value) : [])
      if (!known.includes(field))
        reporter.report(unknownField(field, known), [field], { at: 'key' });
  });
  const diagnostics = reporter.sorted();
  if (hasErrors(diagnostics)) {
    const { write, colour, width } = outputTo(process.stderr);
    const name = titleOf(file);
    write(
      printPretty(diagnostics, { text: source.text, fileName: name }, { colour, width: width() }),
    );
    requireNoErrors({ source, diagnostics }, file, exitCodes.usage);
  }
  const { definition, new: changed, states, data, calls } = shape.parse(source.value);
  const folder = file === standardInput ? '.' : dirname(file);
  return {
    definition,
    new: join(folder, changed),
    map: { ...(states && { states }), ...(data && { data }), ...(calls && { calls }) },
  };
}
