import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { FieldUse } from './field-uses.ts';
import type { Vocabulary } from './vocabulary.ts';

/** How deep copies of the whole data are nested in fields that take whole data; less if the data exceed `sizeMax` UTF-16 units. */
const depthMax = 2;
const sizeMax = 10_000;
const depths = new WeakMap<Vocabulary, number>();

/** A string that the definition does not compare, until `named` tells it from the others. */
export const anyText = 'some text';

/**
 * An object with every path that a definition reads, and with the ends of these paths: a result may be put anywhere. Strings that
 * are not compared differ by field and item: a definition that reads another one behaves differently.
 */
export function dataWith(
  vocabulary: Vocabulary,
  given: Readonly<Record<string, Json>> = {},
): JsonObject {
  return named(unnamedData(vocabulary, given), vocabulary) as JsonObject;
}

/**
 * Names strings that are not compared by their field, the item that has them, and where they come from.
 *
 * @param source such as ` of Rater 2`; the data that a run begins with have none
 */
export function named(
  value: Json,
  vocabulary: Vocabulary,
  source = '',
  field = 'text',
  item = '',
): Json {
  if (Array.isArray(value))
    return value.map((each, index) =>
      named(each, vocabulary, source, field, `${item} ${index + 1}`),
    );
  if (isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        named(inner, vocabulary, source, name, item),
      ]),
    );
  const isFree =
    typeof value === 'string' &&
    value.startsWith('some ') &&
    !vocabulary.compared.has(field) &&
    !vocabulary.texts.has(value);
  return isFree ? `some ${field}${item}${source}` : value;
}

/** Data whose lists have items that differ in the fields that are compared, too. */
export function mixedItems(vocabulary: Vocabulary): readonly JsonObject[] {
  if (vocabulary.lists.size === 0) return [];
  const withValue = (index: number) =>
    dataWith(
      vocabulary,
      Object.fromEntries(
        vocabulary.comparedFields.map((field) => [
          field,
          vocabulary.valuesOf(field).at(index) ?? null,
        ]),
      ),
    );
  const [one, other] = [withValue(0), withValue(1)];
  return [mixed(one, other) as JsonObject, mixed(other, one) as JsonObject];
}

/** One value, with every second item of its lists from the other. */
function mixed(one: Json, other: Json | undefined): Json {
  if (Array.isArray(one))
    return one.map((item, index) =>
      index % 2 === 1 && Array.isArray(other) ? (other[index] ?? item) : item,
    );
  if (!isRecord(one)) return one;
  return Object.fromEntries(
    Object.entries(one).map(([name, inner]) => [
      name,
      mixed(inner, isRecord(other) ? other[name] : undefined),
    ]),
  );
}

function unnamedData(vocabulary: Vocabulary, given: Readonly<Record<string, Json>>): JsonObject {
  for (let depth = depths.get(vocabulary) ?? depthMax; ; depth -= 1) {
    const data = nestedData(vocabulary, given, depth, []);
    if (depth > 0 && JSON.stringify(data).length > sizeMax) continue;
    depths.set(vocabulary, depth);
    return data;
  }
}

function nestedData(
  vocabulary: Vocabulary,
  given: Readonly<Record<string, Json>>,
  depth: number,
  around: readonly string[],
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
    if (place[field] === undefined) place[field] = sampleOf(path, vocabulary, given, depth, around);
  }
  return JSON.parse(JSON.stringify(data)) as JsonObject;
}

/**
 * Like `dataWith`, but with lists in place of whole data, because `OutputPath` may select the items of a Map. Fields that are
 * lists in one state and objects in another are lists, too.
 */
export function dataWithLists(vocabulary: Vocabulary): JsonObject {
  const uses = new Map<string, FieldUse>(
    [...vocabulary.uses].map(([name, use]) => [
      name,
      use.kind === 'whole' ? { kind: 'list', items: 2 } : use,
    ]),
  );
  const paths = vocabulary.paths.flatMap((path) => {
    const list = path.findIndex((name) => uses.get(name)?.kind === 'list');
    return list < 0 ? [path] : [path.slice(0, list + 1), path.slice(list + 1)];
  });
  return dataWith({ ...vocabulary, uses, paths: paths.filter(({ length }) => length > 0) });
}

/** How deep lists are nested in items of lists. */
const listsDeepMax = 4;

/** An item of a list with the fields that are read from it; undefined when none is read. */
function itemOf(
  name: string,
  vocabulary: Vocabulary,
  given: Readonly<Record<string, Json>>,
  around: readonly string[],
): JsonObject | undefined {
  const paths = vocabulary.itemPaths.get(name) ?? [];
  if (paths.length === 0 || around.includes(name) || around.length > listsDeepMax) return undefined;
  const item = Object.create(null) as Record<string, Json>;
  for (const path of paths.toSorted((one, other) => other.length - one.length)) {
    let place = item;
    for (const step of path.slice(0, -1)) {
      if (!isRecord(place[step])) place[step] = Object.create(null) as JsonObject;
      place = place[step];
    }
    const field = path.at(-1)!;
    place[field] ??= sampleOf(path, vocabulary, given, 0, [...around, name]);
  }
  return item;
}

function sampleOf(
  path: readonly string[],
  vocabulary: Vocabulary,
  given: Readonly<Record<string, Json>>,
  depth: number,
  around: readonly string[],
): Json {
  const field = vocabulary.fieldOf(path);
  if (Object.hasOwn(given, field)) return given[field]!;
  const name = path.at(-1)!;
  const use = vocabulary.uses.get(name);
  const inner = () =>
    around.includes(name) || around.length >= depth
      ? undefined
      : nestedData(vocabulary, given, depth, [...around, name]);
  switch (use?.kind) {
    case 'list': {
      // Where whole data would be too large, an item has only the fields that are read.
      const item = inner() ?? (depth === 0 ? itemOf(name, vocabulary, given, around) : undefined);
      return item === undefined ? [] : Array.from({ length: use.items }, () => item);
    }
    case 'json':
      return JSON.stringify(inner() ?? {});
    case 'base64':
      return btoa(anyText);
    case 'split':
      return ['a', 'b', 'c', 'd'].join(use.separator);
    case 'number':
      return vocabulary.valuesOf(field).find((each) => typeof each === 'number') ?? 1;
    case 'time':
      return '2026-01-02T09:00:00Z';
    case 'whole':
      return vocabulary.valuesOf(field)[0] ?? inner() ?? anyText;
    case undefined:
      return vocabulary.valuesOf(field)[0] ?? anyText;
  }
}
