import * as z from 'zod/mini';

/** The fields of a shape, each with its description for editors. */

/** If this field were misspelt, it would permit, limit or decide nothing: that is an error. */
export const decides: Mark = z.meta({ decides: true });

/** A spelling of another generation: accepted, but never suggested. */
export const older: Mark = z.meta({ older: true });

type Mark = z.core.$ZodCheck<unknown>;

export function described<Field extends z.ZodMiniType>(
  field: Field,
  description: string,
  ...marks: readonly Mark[]
): Field {
  return field.check(z.describe(description), ...marks);
}

/** A field that may be left out. */
export function optional<Field extends z.ZodMiniType>(
  field: Field,
  description: string,
  ...marks: readonly Mark[]
): z.ZodMiniOptional<Field> {
  return described(z.optional(field), description, ...marks);
}

/** A field that may be left out, or null. */
export function nullish<Field extends z.ZodMiniType>(
  field: Field,
  description: string,
  ...marks: readonly Mark[]
): z.ZodMiniOptional<z.ZodMiniNullable<Field>> {
  return described(z.nullish(field), description, ...marks);
}
