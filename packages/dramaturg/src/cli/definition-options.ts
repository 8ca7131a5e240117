import { type Checked, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type PlaceholderValues, read } from '@dramaturg/compiler/format';
import { didYouMean, visible } from '@dramaturg/compiler/text';
import { Option } from 'commander';
import { readImports } from '../imports.ts';
import { formats } from '../known-formats.ts';
import { placedMessage, readText, standardInput } from './files.ts';
import { UsageError } from './usage-error.ts';
import type { Command } from './command.ts';

/** The options of every command that takes a definition. */
export interface DefinitionOptions extends GivenValues {
  readonly format?: string;
  readonly option?: JsonObject;
  readonly missing?: 'fail' | 'null';
}

/** The options of a format that are given. */
export function formatOptions({ option, missing }: DefinitionOptions): JsonObject {
  return { ...(missing !== undefined && { missing }), ...option };
}

export function withDefinitionOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--format <name>',
        `kind of definition (${formats.map(({ name }) => name).join(', ')}); detected by default`,
      ).argParser(readFormat),
    )
    .addOption(
      new Option(
        '--option <name=value>',
        'an option of the format, such as completion=all; may be repeated',
      ).argParser(readOption),
    )
    .addOption(
      new Option(
        '--missing <value>',
        'what a JSONPath that leads to nothing gives in a workflow of agents: null, or it fails (default: fail, or what the "Metadata" of the workflow say)',
      ).choices(['fail', 'null']),
    )
    .addOption(
      new Option(
        '--set <name=value>',
        'the value of a placeholder such as ${TableName}; may be repeated',
      ).argParser(readSetting),
    )
    .option('--substitutions <file>', 'a JSON or YAML file with values of placeholders, by name');
}

function readFormat(name: string): string {
  const known = formats.map((format) => format.name);
  if (known.includes(name)) return name;
  throw new UsageError(
    `There is no format "${visible(name)}".`,
    didYouMean(name, known) ?? `The formats are ${known.map((one) => `"${one}"`).join(', ')}.`,
  );
}

function readOption(given: string, before: JsonObject = {}): JsonObject {
  return withNamedValue(given, before, valueOf, 'option', '--option completion=all');
}

/** Reads `3` and `true` as JSON, and everything else as a string. */
function valueOf(written: string): Json {
  try {
    return JSON.parse(written) as Json;
  } catch {
    return written;
  }
}

/** Throws for an option that the format does not have: the mistake is in the call and not in the definition. */
export function requireOptions({ diagnostics }: Checked): void {
  const wrong = diagnostics.find(({ code }) => code === 'format/wrong-option');
  if (wrong) throw new UsageError(visible(wrong.message), wrong.hint);
}

/**
 * The options of a format that are given, and the files that the definition imports.
 *
 * @param more gives further options that depend on the text
 */
export async function optionsFor(
  text: string,
  file: string,
  given: DefinitionOptions,
  more?: (text: string, file: string, format: string | undefined) => Promise<JsonObject>,
): Promise<JsonObject | undefined> {
  const imports = file === standardInput ? {} : await readImports(text, file);
  const options = {
    ...imports,
    ...(await more?.(text, file, given.format)),
    ...formatOptions(given),
  };
  return Object.keys(options).length > 0 ? options : undefined;
}

interface GivenValues {
  /** Values of placeholders. */
  readonly set?: PlaceholderValues;
  /** A file with values of placeholders. */
  readonly substitutions?: string;
}

/** The values of placeholders: those of `--substitutions`, and those of `--set`, which win. */
export async function valuesOf({
  set = {},
  substitutions,
}: GivenValues): Promise<PlaceholderValues> {
  if (substitutions === undefined) return set;
  const { value, diagnostics } = read(await readText(substitutions), { fileName: substitutions });
  const [wrong] = diagnostics.filter(({ severity }) => severity === 'error');
  if (wrong || !(isRecord(value) || Array.isArray(value))) {
    throw new UsageError(
      `The values in "${visible(substitutions)}" cannot be read${wrong ? `: ${visible(placedMessage(wrong))}` : '.'}`,
      'Write an object in JSON or YAML: a value for each name.',
    );
  }
  return { ...parametersIn(value), ...set };
}

/** The values of an object, or of the parameter files that the commands of AWS take. */
function parametersIn(
  value: Readonly<Record<string, unknown>> | readonly unknown[],
): PlaceholderValues {
  const { Parameters: parameters } = value as Readonly<Record<string, unknown>>;
  if (isRecord(parameters)) return parameters as PlaceholderValues;
  if (!Array.isArray(value)) return value as PlaceholderValues;
  return Object.fromEntries(
    value.flatMap((item: unknown) =>
      isRecord(item) && typeof item['ParameterKey'] === 'string'
        ? [[item['ParameterKey'], (item['ParameterValue'] ?? '') as Json]]
        : [],
    ),
  );
}

/** Reads `name=value`. The value is a string; where a field takes a number or true, it is read as such. */
function readSetting(given: string, before: PlaceholderValues = {}): PlaceholderValues {
  return withNamedValue(given, before, (value) => value, 'placeholder', '--set TableName=orders');
}

/**
 * Adds the `name=value` of an option that may be repeated.
 *
 * @param what the kind of thing that has the name: "placeholder"
 * @param example how to write the option
 */
function withNamedValue(
  given: string,
  before: JsonObject,
  readValue: (value: string) => Json,
  what: string,
  example: string,
): JsonObject {
  const equals = given.indexOf('=');
  if (equals < 1) {
    throw new UsageError(
      `The ${what} "${visible(given)}" has no value.`,
      `Write it like this: ${example}`,
    );
  }
  // Not a spread: the name may be "__proto__".
  return Object.fromEntries([
    ...Object.entries(before),
    [given.slice(0, equals), readValue(given.slice(equals + 1))],
  ]);
}
