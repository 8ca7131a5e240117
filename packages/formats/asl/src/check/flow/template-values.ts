import { isRecord, type Json, type Path } from '@dramaturg/compiler';
import { type Argument, type Call, isCall, parseCall } from '../../data/intrinsic/parse.ts';
import { functionsOf } from '../../data/intrinsic/functions.ts';
import { isFault, parsePath } from '../../data/path/parse.ts';
import { followPath } from './follow-path.ts';
import type { Sight } from './sight.ts';
import {
  deepest,
  isUnfilled,
  listOf,
  literal,
  objectOf,
  scalarFrom,
  type Source,
  type ValueSet,
} from './value-set.ts';

/** The values of a payload template. Amazon #payload-template */
export function templateValues(
  template: Json,
  data: ValueSet,
  sight: Sight,
  source: Source,
): ValueSet {
  return partValues(template, { data, sight, sources: [source] }, source.at, 0);
}

interface Filling {
  readonly data: ValueSet;
  readonly sight: Sight;
  readonly sources: readonly Source[];
}

function partValues(part: Json, filling: Filling, at: Path, depth: number): ValueSet {
  if (depth > deepest) return 'any';
  if (Array.isArray(part)) {
    const items = part.map((item: Json, index) =>
      partValues(item, filling, [...at, index], depth + 1),
    );
    return listOf(items, filling.sources);
  }
  if (!isRecord(part)) return literal(part, filling.sources);
  const known = new Map<string, ValueSet>();
  let isOpen = false;
  for (const [key, value] of Object.entries(part)) {
    const isQuery = key.endsWith('.$') && typeof value === 'string';
    const name = isQuery ? key.slice(0, -2) : key;
    const place = [...at, key];
    const values = isQuery
      ? queryValues(value, filling.data, filling.sight, place, filling.sources)
      : partValues(value, filling, place, depth + 1);
    if (isUnfilled(name)) isOpen = true;
    else known.set(name, values);
  }
  return objectOf(known, filling.sources, isOpen);
}

/** The values of a path or a call of an intrinsic function. A path to nothing is reported, and may then be anything. */
export function queryValues(
  text: string,
  data: ValueSet,
  sight: Sight,
  at: Path,
  sources: readonly Source[] = [],
): ValueSet {
  if (isUnfilled(text)) return 'any';
  if (isCall(text)) {
    const call = parseCall(text);
    return isFault(call) ? 'any' : callValues(call, data, sight, at, sources);
  }
  const path = parsePath(text);
  if (isFault(path)) return 'any';
  const followed = followPath(path, sight, data);
  if ('values' in followed) return followed.values;
  sight.report(followed.missing, at);
  return 'any';
}

function callValues(
  { name, args }: Call,
  data: ValueSet,
  sight: Sight,
  at: Path,
  sources: readonly Source[],
): ValueSet {
  // It skips paths without a value.
  const isLenient = name === 'States.Coalesce';
  const values = args.map((argument: Argument) => {
    if (argument.kind === 'call') return callValues(argument.call, data, sight, at, sources);
    if (argument.kind !== 'path') return scalarFrom(sources);
    const followed = followPath(argument.path, sight, data);
    if ('values' in followed) return followed.values;
    if (!isLenient) sight.report(followed.missing, at);
    return 'any';
  });
  if (name === 'States.Array') return listOf(values, sources);
  const functions = functionsOf(sight.dialect);
  const gives = Object.hasOwn(functions, name) ? functions[name]!.gives : 'any';
  return gives === 'any' ? 'any' : scalarFrom(sources);
}
