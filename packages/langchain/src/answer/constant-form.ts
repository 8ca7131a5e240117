import { isRecord, type JsonObject, type PortInput } from '@dramaturg/compiler';

/**
 * The schema that a model gets for an extraction. Providers count it as the beginning of the prompt, so they cache more if it stays
 * the same over the conversation. The answer is held to the schema of the call in any case.
 *
 * @param countsForm whether the provider does so
 */
export function formFor(
  { schema, constantSchema }: Pick<PortInput<'extract'>, 'schema' | 'constantSchema'>,
  countsForm: boolean,
): JsonObject {
  return countsForm && constantSchema !== undefined && covers(constantSchema, schema)
    ? constantSchema
    : schema;
}

/** Says which parts of a constant schema are wanted now. */
export function wantedNow(schema: JsonObject, form: JsonObject): string[] {
  if (schema === form) return [];
  const [wanted, correctable] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const properties = Object.entries(propertiesOf(schema));
  const keys = new Set(properties.flatMap(([, property]) => Object.keys(propertiesOf(property))));
  for (const [name, property] of properties) {
    const inner = Object.entries(propertiesOf(property));
    const known = inner.filter(([, value]) => isKnown(value)).map(([key]) => key);
    const open = inner.filter(([, value]) => !isKnown(value)).map(([key]) => key);
    if (known.length > 0) correctable.set(name, known);
    if (known.length === 0 || open.length > 0 || othersIn(property).length > 0) {
      const values = valuesOf(property).filter((value) => !keys.has(value));
      wanted.set(name, [...open, ...values, ...othersIn(property)]);
    }
  }
  return [
    [
      '# What to fill in now',
      ...linesOf(wanted),
      ...(correctable.size > 0 ? ['Only to correct:', ...linesOf(correctable)] : []),
    ].join('\n'),
  ];
}

function linesOf(names: ReadonlyMap<string, readonly string[]>): string[] {
  return [...names].map(([name, parts]) =>
    parts.length === 0 ? `- ${name}` : `- ${name}: ${parts.join(', ')}`,
  );
}

function covers(form: JsonObject, schema: JsonObject): boolean {
  const known = propertiesOf(form);
  return Object.entries(propertiesOf(schema)).every(
    ([name, property]) =>
      Object.hasOwn(known, name) && isRecord(known[name]) && covers(known[name], property),
  );
}

function propertiesOf({ properties }: JsonObject): Readonly<Record<string, JsonObject>> {
  return isRecord(properties) ? (properties as Record<string, JsonObject>) : {};
}

function isKnown(value: JsonObject): boolean {
  return value['x-collected'] === true;
}

function othersIn({ additionalProperties }: JsonObject): string[] {
  return isRecord(additionalProperties) ? ['and what else was learnt'] : [];
}

/** What a list may contain, if it is one of names; the names of values are not repeated. */
function valuesOf({ items }: JsonObject): string[] {
  const values = isRecord(items) ? items['enum'] : undefined;
  return Array.isArray(values) ? values.map(String) : [];
}
