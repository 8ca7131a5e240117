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
  const sources = [source];
  const isQuery = (key: unknown, part: Json) =>
    typeof part === 'string' && typeof key === 'string' && key.endsWith('.$');
  return partValues(template, source.at, {
    sources,
    computed: (part, at) =>
      isQuery(at.at(-1), part) ? queryValues(part as string, data, sight, at, sources) : undefined,
    nameOf: (key, part) => (isQuery(key, part) ? key.slice(0, -2) : key),
  });
}

/** A kind of template. */
interface TemplateKind {
  readonly sources: readonly Source[];
  /** The values of a part that is computed; undefined for any other part. */
  readonly computed: (part: Json, at: Path) => ValueSet | undefined;
  /** The name of the field that a key gives. */
  readonly nameOf: (key: string, part: Json) => string;
}

export function partValues(part: Json, at: Path, kind: TemplateKind, depth = 0): ValueSet {
  if (depth > deepest) return 'any';
  const own = kind.computed(part, at);
  if (own !== undefined) return own;
  const inner = (value: Json, key: string | number) =>
    partValues(value, [...at, key], kind, depth + 1);
  if (Array.isArray(part)) return listOf(part.map(inner), kind.sources);
  if (!isRecord(part)) return literal(part, kind.sources);
  const known = new Map<string, ValueSet>();
  let isOpen = false;
  for (const [key, value] of Object.entries(part)) {
    const name = kind.nameOf(key, value);
    const values = inner(value, key);
    if (isUnfilled(name)) isOpen = true;
    else known.set(name, values);
  }
  return objectOf(known, kind.sources, isOpen);
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
