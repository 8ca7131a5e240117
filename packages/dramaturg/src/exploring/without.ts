import { isRecord, type Json } from '@dramaturg/compiler';

/** The data without a field, at any depth. */
export function without(value: Json, field: string): Json {
  if (Array.isArray(value)) return value.map((each) => without(each, field));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name === field ? [] : [[name, without(inner, field)]],
    ),
  );
}
