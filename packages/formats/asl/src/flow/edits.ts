import { fieldAt, type Json, stepsOf } from '@dramaturg/compiler';

/**
 * Data with the fields that a person has changed, and with nothing else of what came with them. Objects are made where there
 * are none, so that no edit that was taken goes unseen. Agent 6 §Editable content
 *
 * @param fields the paths of what is free to change
 * @param edited nested as the data are
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
  // From entries, so that a field of any name is a field.
  return Object.fromEntries([...fields, [step, inner]]);
}

function innerOf(data: Json, step: string): Json {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, step)) return null;
  return (data as Readonly<Record<string, Json>>)[step]!;
}
