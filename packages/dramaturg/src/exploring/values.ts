import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Vocabulary } from './vocabulary.ts';

/** A field that a port is asked to fill, with its candidates: the usual one first. */
export interface Field {
  readonly path: readonly string[];
  readonly values: readonly Json[];
  /** Whether the definition asks for it later, or has it already. */
  readonly isLater: boolean;
  /** Whether a condition of the definition compares it. */
  readonly isCompared: boolean;
}

const depthMax = 4;

/** The fields of a JSON Schema of an object. */
export function fieldsOf(
  schema: unknown,
  vocabulary: Vocabulary,
  path: readonly string[] = [],
): readonly Field[] {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(properties) || path.length > depthMax) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = [...path, name];
    const nested = fieldsOf(property, vocabulary, inner);
    if (nested.length > 0) return nested;
    const values = valuesOf(property, vocabulary.valuesOf(name), sampleFor(name));
    if (values.length === 0) return [];
    const { 'x-later': later, 'x-collected': collected } = property as JsonObject;
    return [
      {
        path: inner,
        values,
        isLater: later === true || collected !== undefined,
        isCompared: vocabulary.compared.has(name),
      },
    ];
  });
}

/** Values that fit a schema, the usual one first: each of an enum, both truth values, the bounds, and the values in conditions. */
export function valuesOf(
  schema: unknown,
  compared: readonly Json[],
  sample = 'something',
): readonly Json[] {
  if (!isRecord(schema)) return [];
  const limits = isRecord(schema['x-limits']) ? schema['x-limits'] : {};
  const {
    type,
    enum: options,
    minimum,
    maximum,
    items,
    examples,
  } = {
    ...schema,
    ...limits,
  } as JsonObject;
  if (Array.isArray(options)) return options;
  if (type === 'boolean') return [true, false];
  if (type === 'integer' || type === 'number') {
    const numbers = [...compared, minimum, maximum].filter((each) => typeof each === 'number');
    const fitting = numbers.filter(
      (each) =>
        (typeof minimum !== 'number' || each >= minimum) &&
        (typeof maximum !== 'number' || each <= maximum) &&
        (type === 'number' || Number.isInteger(each)),
    );
    // The last values are refused.
    const refused = [
      ...(typeof maximum === 'number' ? [maximum + 1] : []),
      ...(typeof minimum === 'number' ? [minimum - 1] : []),
    ];
    return [...new Set([...(fitting.length > 0 ? fitting : [1]), ...refused])];
  }
  if (type === 'array') {
    const inner = valuesOf(items, []);
    return inner.length === 0
      ? []
      : [inner.slice(0, 20), ...inner.slice(0, 8).map((each) => [each])];
  }
  if (type === 'object') return [{}];
  const texts = compared.filter((each) => each !== null).map(String);
  const [example] = Array.isArray(examples) ? examples : [];
  const format = typeof schema['format'] === 'string' ? formats[schema['format']] : undefined;
  return [...new Set([...texts, example ?? format ?? sample])];
}

/** A text that people would give for a field with this name. */
function sampleFor(name: string): string {
  const words = name.toLowerCase();
  return (
    samples.find(([part]) => words.includes(part))?.[1] ?? `some ${name.replaceAll(/[_-]+/g, ' ')}`
  );
}

const samples = [
  ['mail', 'ada@example.com'],
  ['number', '4711'],
  ['phone', '+44 20 7946 0000'],
  ['code', '4711'],
  ['date', '2026-01-02'],
  ['name', 'Ada'],
] as const;

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-02',
  'date-time': '2026-01-02T09:00:00Z',
  time: '09:00',
  email: 'ada@example.com',
  uri: 'https://example.com',
};

/** Puts values at their paths. */
export function objectOf(
  entries: readonly (readonly [path: readonly string[], value: Json])[],
): JsonObject {
  const object: Record<string, Json> = {};
  for (const [path, value] of entries) {
    let place = object;
    for (const name of path.slice(0, -1)) {
      const inner = Object.hasOwn(place, name) ? (place[name] as Record<string, Json>) : {};
      define(place, name, inner);
      place = inner;
    }
    define(place, path.at(-1)!, value);
  }
  return object;
}

/** Defines a field under any name that an author chooses, also `__proto__`. */
function define(object: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
