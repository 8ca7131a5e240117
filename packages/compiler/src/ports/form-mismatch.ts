import { isRecord, type Json, type JsonObject } from '../json.ts';

/**
 * Compares the form of an extracted value with the schema that was asked for: which fields are objects, lists, truth values
 * or single values. The content of a field is left to the format, which may convert it. Null counts as absent.
 *
 * @returns a sentence about the fields of a wrong form, or undefined when all fit
 */
export function formMismatch(value: JsonObject, schema: JsonObject): string | undefined {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const problems = Object.entries(value).flatMap(([name, part]) => {
    const asked = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (part === null || !isRecord(asked)) return [];
    const wanted = expectedForm(part, asked);
    return wanted === undefined ? [] : [`"${name}" must be ${wanted}, but is ${inWords(part)}`];
  });
  return problems.length === 0 ? undefined : `${problems.join('; ')}.`;
}

function expectedForm(part: Json, { type, items }: Record<string, unknown>): string | undefined {
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
