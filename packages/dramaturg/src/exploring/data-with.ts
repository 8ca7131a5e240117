import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Vocabulary } from './vocabulary.ts';

/** Of a definition with more of them, fields that contain whole data do not contain each other. */
const nestedMax = 6;

/** An object that has every path that a definition reads, also without its first fields: a result may be put anywhere. */
export function dataWith(
  vocabulary: Vocabulary,
  given: Readonly<Record<string, Json>> = {},
  around: readonly string[] = [],
): JsonObject {
  const data = Object.create(null) as Record<string, Json>;
  const paths = vocabulary.paths.flatMap((path) => path.map((_, index) => path.slice(index)));
  // Longer paths first: their fields are objects and not single values.
  for (const path of paths.toSorted((one, other) => other.length - one.length)) {
    let place = data;
    for (const name of path.slice(0, -1)) {
      if (!isRecord(place[name])) place[name] = Object.create(null) as JsonObject;
      place = place[name];
    }
    const field = path.at(-1)!;
    if (place[field] === undefined) place[field] = sampleOf(path, vocabulary, given, around);
  }
  return JSON.parse(JSON.stringify(data)) as JsonObject;
}

/** The same, with lists in the places of whole data: `OutputPath` may select the items of a Map. */
export function dataWithLists(vocabulary: Vocabulary): JsonObject {
  const uses = [...vocabulary.uses].map(
    ([name, use]) =>
      [name, use.kind === 'whole' ? ({ kind: 'list', items: 2 } as const) : use] as const,
  );
  return dataWith({ ...vocabulary, uses: new Map(uses) });
}

function sampleOf(
  path: readonly string[],
  vocabulary: Vocabulary,
  given: Readonly<Record<string, Json>>,
  around: readonly string[],
): Json {
  const field = vocabulary.fieldOf(path);
  if (Object.hasOwn(given, field)) return given[field]!;
  const name = path.at(-1)!;
  const use = vocabulary.uses.get(name);
  const depthMax = vocabulary.uses.size > nestedMax ? 1 : 2;
  const inner = () =>
    around.includes(name) || around.length >= depthMax
      ? undefined
      : dataWith(vocabulary, given, [...around, name]);
  switch (use?.kind) {
    case 'list': {
      const item = inner();
      return item === undefined ? [] : Array.from({ length: use.items }, () => item);
    }
    case 'json':
      return JSON.stringify(inner() ?? {});
    case 'base64':
      return btoa('a text');
    case 'split':
      return ['a', 'b', 'c', 'd'].join(use.separator);
    case 'number':
      return vocabulary.valuesOf(field).find((each) => typeof each === 'number') ?? 1;
    case 'time':
      return '2026-01-02T09:00:00Z';
    case 'whole':
      return vocabulary.valuesOf(field)[0] ?? inner() ?? 'a text';
    case undefined:
      return vocabulary.valuesOf(field)[0] ?? 'a text';
  }
}
