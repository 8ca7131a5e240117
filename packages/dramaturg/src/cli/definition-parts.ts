import { basename, dirname, isAbsolute, join } from 'node:path';
import {
  type Checked,
  type CompileOptions,
  type JsonObject,
  placesIn,
  type Source,
} from '@dramaturg/compiler';
import type { Elsewhere, Place } from '@dramaturg/compiler/format';
import { didYouMean, quotedList, visible } from '@dramaturg/compiler/text';
import { formatsOf } from '../known-formats.ts';
import {
  type DefinitionOptions,
  formatOptions,
  optionsFor,
  valuesOf,
} from './definition-options.ts';
import { readText, standardInput, statusOf, titleOf } from './files.ts';
import { UsageError } from './usage-error.ts';

/** A definition as a command takes it: a file, or a definition inside a file that deploys it. */
export interface DefinitionPart {
  /** The file with the text. It is not the given file when that only names it. */
  readonly file: string;
  /** The name of the definition inside the given file. */
  readonly name?: string;
  /** The text to compile; undefined when it is in no file of this computer. */
  readonly text?: string | Source;
  readonly elsewhere?: Elsewhere;
  readonly options: Omit<CompileOptions, 'formats'>;
}

export interface DefinitionParts {
  readonly file: string;
  readonly parts: readonly DefinitionPart[];
  /** The given file when it has definitions inside. */
  readonly container?: Source;
}

/** Further options of a format, which depend on the text. */
type MoreOptions = (text: string, file: string, format: string | undefined) => Promise<JsonObject>;

/** Separates `template.yaml#Orders`, unless there is a file of that name. */
export async function splitName(given: string): Promise<{ file: string; name?: string }> {
  const mark = given.lastIndexOf('#');
  if (mark < 1 || mark === given.length - 1 || (await statusOf(given)) !== undefined)
    return { file: given };
  return { file: given.slice(0, mark), name: given.slice(mark + 1) };
}

/** Reads the definitions of a file: the file itself, those inside it, and other files that it names. */
export async function readParts(
  file: string,
  options: DefinitionOptions,
  more?: MoreOptions,
): Promise<DefinitionParts> {
  return partsOf(await readText(file), file, options, more);
}

/**
 * Like `readParts`, for the text of a file that an editor has changed and not yet saved.
 *
 * @param file may be standard input, for a text without a file
 */
export async function partsOf(
  text: string,
  file: string,
  options: DefinitionOptions,
  more?: MoreOptions,
): Promise<DefinitionParts> {
  const fileName = file === standardInput ? undefined : basename(file);
  const values = await valuesOf(options);
  const found = placesIn(text, { formats: formatsOf(fileName), fileName, values });
  if (!found) {
    const own = await optionsFor(text, file, options, more);
    const given = { fileName, format: options.format, options: own, values };
    return { file, parts: [{ file, text, options: given }] };
  }
  const parts = await Promise.all(found.places.map((place) => partAt(place, file, options)));
  return { file, parts, container: found.file };
}

async function partAt(
  { name, format, source, elsewhere, options: own, values }: Place,
  file: string,
  given: DefinitionOptions,
): Promise<DefinitionPart> {
  const options = { format, options: { ...own, ...formatOptions(given) }, values };
  if (source) return { file, name, text: source, options };
  const path = await localFile(elsewhere?.file, file);
  const where = { file: path ?? file, name, elsewhere: elsewhere! };
  const text = path === undefined ? undefined : await readText(path);
  if (path === undefined || elsewhere?.isComputed?.(text!)) return { ...where, file, options };
  return {
    ...where,
    text: text!,
    options: { ...options, fileName: basename(path) },
  };
}

/** The file that a template names, from the folder of the template. */
async function localFile(path: string | undefined, from: string): Promise<string | undefined> {
  if (path === undefined || isAbsolute(path) || from === standardInput) return undefined;
  const file = join(dirname(from), path);
  return (await statusOf(file))?.isFile() ? file : undefined;
}

/**
 * The one definition that a command runs: `template.yaml#Orders`, or the only one of a file.
 *
 * @throws UsageError when the file has none of that name, or several and none is named
 */
export async function readOnePart(
  given: string,
  options: DefinitionOptions,
): Promise<DefinitionPart & { readonly text: string | Source }> {
  const { file, name } = await splitName(given);
  const { parts, container } = await readParts(file, options);
  const title = `"${visible(titleOf(file))}"`;
  const names = parts.flatMap((part) => part.name ?? []);
  if (name !== undefined && !container) {
    throw new UsageError(
      `${title} is a definition and has none inside.`,
      'Leave out the name behind the "#".',
    );
  }
  const [only, ...others] = parts.filter((part) => name === undefined || part.name === name);
  if (!only) {
    throw new UsageError(
      `There is no definition "${visible(name!)}" in ${title}.`,
      didYouMean(name!, names) ?? `Its definitions: ${quotedList(names)}.`,
    );
  }
  if (others.length > 0) {
    throw new UsageError(
      `${title} has ${parts.length} definitions.`,
      `Name one: ${names.map((one) => visible(`${titleOf(file)}#${one}`)).join(', ')}`,
    );
  }
  const { text } = only;
  if (text === undefined) {
    throw new UsageError(
      `The definition "${visible(only.name ?? '')}" is not in ${title}: it is in ${visible(only.elsewhere!.location)}.`,
      only.elsewhere!.hint ?? 'Get that file, and name it instead.',
    );
  }
  return { ...only, text };
}

/**
 * Mistakes outside the definitions of a file that make parts of it unreadable. They are warnings: the definitions that were found
 * are sound.
 */
export function findingsOutside(container: Source, parts: readonly DefinitionPart[]): Checked {
  const isInside = (offset: number, code: string) =>
    parts.some(
      ({ text }) =>
        typeof text === 'object' &&
        text.diagnostics.some((one) => one.code === code && one.range.start.offset === offset),
    );
  const diagnostics = container.diagnostics
    .filter(({ code, range }) => code === 'read/syntax' && !isInside(range.start.offset, code))
    .map((diagnostic) => ({ ...diagnostic, severity: 'warning' as const }));
  return { source: container, diagnostics };
}
