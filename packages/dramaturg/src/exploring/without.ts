import { isRecord, type Json } from '@dramaturg/compiler';

/**
 * The data without a field, at any depth.
 *
 * @param field its name, or `parent.name` for the one in objects of that name
 */
export function without(value: Json, field: string, around = ''): Json {
  if (Array.isArray(value)) return value.map((each) => without(each, field, around));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name === field || `${around}.${name}` === field ? [] : [[name, without(inner, field, name)]],
    ),
  );
}
