import type { Json, JsonObject } from '@dramaturg/compiler';
import { type Edits, shortNames, stepsOf } from '@dramaturg/compiler/machine';

/** Copies edits into the data. Missing objects are created, so that no accepted edit is lost. Agent 6 §Editable content */
export function withEdits(data: Json, edits: Edits = {}): Json {
  return Object.entries(edits).reduce(
    (into: Json, [path, value]) => written(into, stepsOf(path), value),
    data,
  );
}

/**
 * The edits as `Editable.ResultPath` stores them: each field under the last name of its path. A field without a name of its
 * own is nested like the data. Tutorial 8
 */
export function editedContent(edits: Edits, fields: readonly string[]): Json {
  const names = shortNames(fields);
  return Object.entries(edits).reduce((into: Json, [path, value]) => {
    const name = names.get(path);
    return written(into, name === undefined ? stepsOf(path) : [name], value);
  }, {} satisfies JsonObject);
}

function written(into: Json, [step, ...rest]: readonly string[], value: Json): Json {
  if (step === undefined) return value;
  const inner = written(innerOf(into, step), rest, value);
  if (Array.isArray(into) && Number(step) in into) return into.with(Number(step), inner) as Json;
  const fields = typeof into === 'object' && into !== null ? Object.entries(into) : [];
  // `fromEntries` also creates a field named `__proto__`.
  return Object.fromEntries([...fields, [step, inner]]);
}

function innerOf(data: Json, step: string): Json {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, step)) return null;
  return (data as Readonly<Record<string, Json>>)[step]!;
}
