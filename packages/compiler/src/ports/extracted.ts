import { isRecord, type Json, type JsonObject } from '../json.ts';

/**
 * What is wrong with the form of an extracted value, by the schema that was asked for: a field that should be an object, a
 * list, a truth value or a single value, and is none. What a field says is for the format to judge, which may convert it.
 * Null counts as left out.
 *
 * @returns a sentence, or undefined when the form fits
 */
export function misshapen(value: JsonObject, schema: JsonObject): string | undefined {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const problems = Object.entries(value).flatMap(([name, part]) => {
    const asked = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (part === null || !isRecord(asked)) return [];
    const wanted = misfit(part, asked);
    return wanted === undefined ? [] : [`"${name}" must be ${wanted}, and is ${inWords(part)}`];
  });
  return problems.length === 0 ? undefined : `${problems.join('; ')}.`;
}

function misfit(part: Json, { type, items }: Record<string, unknown>): string | undefined {
  switch (type) {
    case 'object':
      return isRecord(part) ? undefined : 'an object';
    case 'array': {
      const isOfTexts = isRecord(items) && items['type'] === 'string';
      if (!isOfTexts) return Array.isArray(part) ? undefined : 'a list';
      const fits = Array.isArray(part) && part.every((item) => typeof item === 'string');
      return fits ? undefined : 'a list of texts';
    }
    case 'boolean':
      return typeof part === 'boolean' ? undefined : 'true or false';
    case 'string':
    case 'number':
    case 'integer':
      return typeof part === 'object' ? 'a single value' : undefined;
    default:
      return undefined;
  }
}

function inWords(part: Json): string {
  if (Array.isArray(part)) return 'a list';
  if (isRecord(part)) return 'an object';
  return { string: 'a text', number: 'a number' }[typeof part as string] ?? 'a truth value';
}
