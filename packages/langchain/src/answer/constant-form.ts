import { isRecord, type JsonObject, type PortInput } from '@dramaturg/compiler';
import { isInConstantPart } from '../prompt/composer.ts';

/**
 * The schema that a model gets for an extraction. Providers treat it as the beginning of the prompt, so they cache more if it is
 * constant in a conversation. The answer is always checked by the schema of the call.
 *
 * @param countsForm whether the provider does so
 */
export function formFor(
  {
    schema,
    constantSchema,
    prompt,
  }: Pick<PortInput<'extract'>, 'schema' | 'constantSchema' | 'prompt'>,
  countsForm: boolean,
): JsonObject {
  return countsForm && constantSchema !== undefined && covers(constantSchema, schema)
    ? withoutRepeated(constantSchema, prompt)
    : schema;
}

/** Removes descriptions of values that the prompt already contains with their names. */
function withoutRepeated(form: JsonObject, prompt: PortInput<'extract'>['prompt']): JsonObject {
  const properties = Object.entries(propertiesOf(form)).map(([name, property]) => {
    const { description, ...rest } = withoutRepeated(property, prompt);
    const isRepeated =
      typeof description === 'string' &&
      isInConstantPart({ prompt }, name) &&
      isInConstantPart({ prompt }, description);
    return [name, isRepeated || description === undefined ? rest : { description, ...rest }];
  });
  if (properties.length === 0) return form;
  return { ...form, properties: Object.fromEntries(properties) as JsonObject };
}

/**
 * Lists which parts of a constant schema are wanted now, which are known and may be corrected, and which come later.
 *
 * @param schema the schema of the call, with the marks of its format
 * @param form the schema that the model gets
 */
export function wantedNow(schema: JsonObject, form: JsonObject): string[] {
  const [wanted, known, later] = [new Parts(), new Parts(), new Parts()];
  const properties = Object.entries(propertiesOf(schema));
  const keys = new Set(properties.flatMap(([, property]) => Object.keys(propertiesOf(property))));
  for (const [name, property] of properties) {
    const inner = Object.entries(propertiesOf(property));
    const keysOf = (mark: (value: JsonObject) => boolean) =>
      inner.flatMap(([key, value]) => (mark(value) ? [key] : []));
    known.add(name, keysOf(isKnown));
    const rest = keysOf(isLater);
    const all = Object.keys(propertiesOf(propertiesOf(form)[name] ?? {}));
    const isAllElse = rest.length > 1 && all.length === inner.length;
    later.add(name, isAllElse ? ['all others'] : rest);
    const open = keysOf((value) => !isKnown(value) && !isLater(value));
    const values = valuesOf(property).filter((value) => !keys.has(value));
    const others = [...open, ...values, ...othersIn(property)];
    if (inner.length === 0 || others.length > 0) wanted.set(name, others);
  }
  return [
    [
      '# What to fill in now',
      ...linesOf(wanted),
      ...(later.size > 0 ? ['If it is said already:', ...linesOf(later)] : []),
      ...(known.size > 0 ? ['Only to correct or confirm:', ...linesOf(known)] : []),
    ].join('\n'),
  ];
}

class Parts extends Map<string, readonly string[]> {
  add(name: string, parts: readonly string[]): void {
    if (parts.length > 0) this.set(name, parts);
  }
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
  return value['x-collected'] !== undefined;
}

function isLater(value: JsonObject): boolean {
  return value['x-later'] === true && !isKnown(value);
}

function othersIn({ additionalProperties }: JsonObject): string[] {
  return isRecord(additionalProperties) ? ['and what else was learnt'] : [];
}

/** The values that a list of names may contain. Names of values are not repeated. */
function valuesOf({ items }: JsonObject): string[] {
  const values = isRecord(items) ? items['enum'] : undefined;
  return Array.isArray(values) ? values.map(String) : [];
}
