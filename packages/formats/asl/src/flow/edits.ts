import { fieldAt, type Json, stepsOf } from '@dramaturg/compiler';

/**
 * Copies the editable fields of a person's edits into the data, and ignores all other fields. Missing objects are
 * created, so that no accepted edit is lost. Agent 6 §Editable content
 *
 * @param fields the paths that may be edited
 * @param edited nested like the data
 */
export function withEdits(data: Json, fields: readonly string[], edited: Json | undefined): Json {
  return fields.reduce((into: Json, field) => {
    const value = fieldAt(edited, field);
    return value === undefined ? into : written(into, stepsOf(field), value);
  }, data);
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
