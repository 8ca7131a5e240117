import { isRecord, type Json, type JsonObject, type PortInput } from '@dramaturg/compiler';

/** Answers that follow from the question alone, so that no model is asked. */

/** The only value that fits a schema; undefined when there may be several. Properties that a schema does not name are left out. */
export function soleValue(schema: JsonObject): Json | undefined {
  const { const: constant, enum: values, type, required, properties, ...rest } = schema;
  if (Object.keys(rest).some((keyword) => !isNote(keyword, rest[keyword]))) return undefined;
  if (constant !== undefined) return constant;
  if (Array.isArray(values) && values.length === 1) return values[0];
  const isClosed = isRecord(properties) || rest['additionalProperties'] === false;
  if (type !== 'object' || !isClosed) return undefined;
  const wanted = Array.isArray(required) ? required : [];
  const entries: [string, Json][] = [];
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    const value = isRecord(property) ? soleValue(property) : undefined;
    if (value === undefined || !wanted.includes(name)) return undefined;
    entries.push([name, value]);
  }
  return entries.length === wanted.length ? Object.fromEntries(entries) : undefined;
}

/** Whether a keyword of a schema can be ignored, because it does not allow more values. */
function isNote(keyword: string, value: Json | undefined): boolean {
  return (
    keyword === 'description' ||
    keyword === 'title' ||
    keyword.startsWith('x-') ||
    (keyword === 'additionalProperties' && value === false)
  );
}

/**
 * The value of a message that consists only of an option of its question, such as the text of a button. Undefined when the same
 * text may answer another question.
 */
export function pickedOption(
  { message, asked }: Pick<PortInput<'extract'>, 'message' | 'asked'>,
  schema: JsonObject,
): JsonObject | undefined {
  if (message === undefined || asked === undefined || asked.unconfirmed !== undefined)
    return undefined;
  const said = message.trim().toLowerCase();
  const matching = optionsIn(schema).filter(({ option }) => option.toLowerCase() === said);
  const [only, ...others] = matching;
  if (only === undefined || others.length > 0) return undefined;
  if (JSON.stringify(only.path) !== JSON.stringify(asked.path)) return undefined;
  return only.path.reduceRight<Json>(
    (value, name) => ({ [name]: value }),
    only.option,
  ) as JsonObject;
}

interface Option {
  readonly path: readonly string[];
  readonly option: string;
}

/** All options of a schema, with the paths of their values. */
function optionsIn(schema: JsonObject, path: readonly string[] = []): Option[] {
  const { properties, enum: values } = schema;
  const own = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
  return [
    ...own.map((option) => ({ path, option })),
    ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, property]) =>
      isRecord(property) ? optionsIn(property, [...path, name]) : [],
    ),
  ];
}
