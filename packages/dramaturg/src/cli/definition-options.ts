import type { Checked, Json, JsonObject } from '@dramaturg/compiler';
import { didYouMean, visible } from '@dramaturg/compiler/text';
import { type Command, Option } from 'commander';
import { formats } from '../known-formats.ts';
import { readImports } from '../imports.ts';
import { standardInput } from './files.ts';
import { withNamedValue } from './named-value.ts';
import { type GivenValues, readSetting } from './placeholder-values.ts';
import { UsageError } from './usage-error.ts';

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

/** Reads `3` and `true` as JSON, and everything else as text. */
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
