import { hasErrors } from '@dramaturg/compiler';
import {
  type ComparedDefinition,
  compareDefinitions,
  type DefinitionChange,
} from '@dramaturg/compiler/chart';
import { visible, withArticle } from '@dramaturg/compiler/text';
import { check } from '../../compile.ts';
import { formatNamed } from '../../known-formats.ts';
import { requireNoErrors } from '../definition-error.ts';
import { type DefinitionOptions, requireOptions } from '../definition-options.ts';
import { readOnePart } from '../definition-parts.ts';
import { titleOf } from '../files.ts';
import { printProblems } from '../print-problems.ts';
import { exitCodes, UsageError } from '../usage-error.ts';

/** A version of a definition for a comparison. */
export interface DefinitionVersionFile {
  /** The name of the file, for people. */
  readonly name: string;
  readonly format: string;
  readonly definition: ComparedDefinition;
}

/** Two versions of a definition, and their differences. */
export interface ComparedDefinitions {
  readonly old: DefinitionVersionFile;
  readonly new: DefinitionVersionFile;
  /** What a definition of their format is called. */
  readonly title: string;
  readonly changes: readonly DefinitionChange[];
}

/**
 * Reads and compares two definitions.
 *
 * @throws UsageError when one of them has errors, which are printed, or when they have different formats
 */
export async function readAndCompare(
  old: string,
  changed: string,
  options: DefinitionOptions,
): Promise<ComparedDefinitions> {
  const [before, after] = [await readVersion(old, options), await readVersion(changed, options)];
  if (before.format !== after.format) {
    const [one, other] = [before, after].map(({ format }) =>
      withArticle(formatNamed(format)!.title),
    );
    throw new UsageError(
      `"${visible(before.name)}" is ${one}, and "${visible(after.name)}" is ${other}.`,
      'Compare two definitions of one format.',
    );
  }
  const { outline, title } = formatNamed(before.format)!;
  const changes = compareDefinitions(before.definition, after.definition, outline);
  return { old: before, new: after, title, changes };
}

async function readVersion(
  given: string,
  options: DefinitionOptions,
): Promise<DefinitionVersionFile> {
  const { file, text, options: compileOptions } = await readOnePart(given, options);
  const checked = check(text, compileOptions);
  requireOptions(checked);
  if (hasErrors(checked.diagnostics)) printProblems(checked, file);
  // As for the command `diff` of the system, 1 means that they differ, and 2 that they cannot be compared.
  requireNoErrors(checked, file, exitCodes.usage);
  return {
    name: titleOf(given),
    format: checked.format!,
    definition: checked,
  };
}
