import { isRecord, type Json } from '@dramaturg/compiler';
import { type PlaceholderValues, read } from '@dramaturg/compiler/format';
import { visible } from '@dramaturg/compiler/text';
import { readText } from './files.ts';
import { withNamedValue } from './named-value.ts';
import { placedMessage } from './read-json-argument.ts';
import { UsageError } from './usage-error.ts';

export interface GivenValues {
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

/** Reads `name=value`. The value is text; where a field takes a number or true, it is read as such. */
export function readSetting(given: string, before: PlaceholderValues = {}): PlaceholderValues {
  return withNamedValue(given, before, (value) => value, 'placeholder', '--set TableName=orders');
}
