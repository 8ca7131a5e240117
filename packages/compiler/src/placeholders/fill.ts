import * as z from 'zod/mini';
import { isRecord, type Json, type Path } from '../json.ts';
import {
  hasPlaceholder,
  placeholderNames,
  replacePlaceholders,
  wholePlaceholderName,
} from './placeholder.ts';

/** Values of placeholders by their names. */
export type PlaceholderValues = Readonly<Record<string, Json>>;

/** A value of a definition that is not known, because its placeholders have no values. */
export interface UnfilledValue {
  readonly path: Path;
  readonly names: readonly string[];
  /** Whether the field takes no string, so that a sample of its type is used. */
  readonly isSample: boolean;
}

/** The text with placeholders that an object represents, when it calls a function of a deployment tool. */
export type TextOfCall = (value: Readonly<Record<string, unknown>>) => string | undefined;

interface Sources {
  readonly values: PlaceholderValues;
  readonly textOfCall: TextOfCall;
}

interface Filled {
  readonly value: unknown;
  readonly unfilled: readonly UnfilledValue[];
}

/** A string with placeholders, and its possible values. The schema decides: the first candidate that it accepts is used. */
interface Gap {
  readonly path: Path;
  readonly names: readonly string[];
  readonly candidates: readonly unknown[];
  /** The names of a call. They count once the schema has refused the object that makes the call. */
  readonly namesOfCall?: readonly string[];
  chosen: number;
}

/** Values of the types that a field may take instead of a string. The number 1 fits every kind of number. */
const samples: readonly unknown[] = [1, true, {}, []];

/**
 * Fills the placeholders of a value. A string that is one placeholder is still a string where the schema takes strings. Elsewhere
 * it becomes the given value, read as JSON, or without one a sample of the type that the field takes.
 */
export function fillPlaceholders(
  value: unknown,
  schema: z.core.$ZodType,
  values: PlaceholderValues,
  textOfCall: TextOfCall = () => undefined,
): Filled {
  const named = withFilledKeys(value, values);
  const gaps = gapsIn(named, [], { values, textOfCall });
  if (gaps.length === 0) return { value: named, unfilled: [] };
  const filled = copyOf({ root: named });
  for (const gap of gaps) put(filled, gap);
  const byPath = new Map(gaps.map((gap) => [JSON.stringify(gap.path), gap]));
  for (let round = 0; round < samples.length + 2; round += 1) {
    const refused = refusedGaps(schema, filled.root, byPath);
    if (refused.size === 0) break;
    for (const gap of refused) {
      gap.chosen += 1;
      put(filled, gap);
    }
  }
  const unfilled = gaps
    .map(({ path, names, namesOfCall, chosen }) =>
      namesOfCall && chosen > 0
        ? { path, names: namesOfCall, isSample: chosen > 1 }
        : { path, names, isSample: chosen > 0 },
    )
    .filter(({ names }) => names.length > 0);
  return { value: filled.root, unfilled };
}

/** Fills the placeholders in keys, such as the names of states. Returns the same value when there are none. */
function withFilledKeys(value: unknown, values: PlaceholderValues): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withFilledKeys(item, values));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).map(([key, item]): [string, unknown] => [
    hasPlaceholder(key) ? filledText(key, values) : key,
    withFilledKeys(item, values),
  ]);
  const isSame = fields.every(([key, item]) => Object.hasOwn(value, key) && value[key] === item);
  return isSame ? value : Object.fromEntries(fields);
}

function gapsIn(value: unknown, path: Path, sources: Sources): Gap[] {
  if (typeof value === 'string')
    return hasPlaceholder(value) ? [gapOf(value, path, sources.values)] : [];
  if (Array.isArray(value))
    return value.flatMap((item, index) => gapsIn(item, [...path, index], sources));
  if (!isRecord(value)) return [];
  const called = sources.textOfCall(value);
  if (called !== undefined) {
    // Data may have an object of the same form, so it is kept where the schema takes an object.
    const { candidates, ...gap } = gapOf(called, path, sources.values);
    return [{ ...gap, names: [], namesOfCall: gap.names, candidates: [value, ...candidates] }];
  }
  return Object.entries(value).flatMap(([key, item]) => gapsIn(item, [...path, key], sources));
}

function valueOf(name: string, values: PlaceholderValues): Json | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function filledText(text: string, values: PlaceholderValues): string {
  return replacePlaceholders(text, (name) => textOf(valueOf(name, values)));
}

function gapOf(text: string, path: Path, values: PlaceholderValues): Gap {
  const filled = filledText(text, values);
  const names = placeholderNames(text).filter((name) => valueOf(name, values) === undefined);
  const whole = wholePlaceholderName(text);
  const value = whole === undefined ? undefined : valueOf(whole, values);
  const others = whole === undefined ? [] : value === undefined ? samples : [typed(value)];
  return { path, names, candidates: [filled, ...others], chosen: 0 };
}

/** Values are plain JSON. */
function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

/** Reads `30` and `true` as JSON, and everything else as a string. */
function typed(value: Json): Json {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}

function put(filled: { root: unknown }, { path, candidates, chosen }: Gap): void {
  const steps = ['root', ...path];
  const last = steps.pop()!;
  let holder: unknown = filled;
  for (const step of steps) holder = (holder as Record<string, unknown>)[step];
  // A copy, because two gaps must not share an object.
  (holder as Record<string, unknown>)[last] = copyOf(candidates[chosen]);
}

/** The gaps that the schema refuses and that have another candidate. */
function refusedGaps(
  schema: z.core.$ZodType,
  value: unknown,
  gaps: ReadonlyMap<string, Gap>,
): ReadonlySet<Gap> {
  const refused = new Set<Gap>();
  const look = (issues: readonly z.core.$ZodIssue[], base: readonly PropertyKey[]): void => {
    for (const issue of issues) {
      const path = [...base, ...issue.path];
      const gap = gaps.get(JSON.stringify(path));
      if (gap) {
        if (gap.chosen < gap.candidates.length - 1) refused.add(gap);
      } else if (issue.code === 'invalid_union') {
        for (const inner of issue.errors) look(inner, path);
      }
    }
  };
  look(z.safeParse(schema, value).error?.issues ?? [], []);
  return refused;
}
