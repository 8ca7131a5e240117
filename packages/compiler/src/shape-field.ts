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

/** A field that may be left out, and that permits, limits or decides something. */
export function deciding<Field extends z.ZodMiniType>(
  field: Field,
  description: string,
  ...marks: readonly Mark[]
): z.ZodMiniOptional<Field> {
  return optional(field, description, ...marks, decides);
}

/** The fields of a type: needed, left out, or null. */
export interface FieldsOfType<Type extends z.ZodMiniType> {
  readonly type: Type;
  readonly required: (...of: Described) => Type;
  readonly optional: (...of: Described) => z.ZodMiniOptional<Type>;
  readonly nullish: (...of: Described) => z.ZodMiniOptional<z.ZodMiniNullable<Type>>;
  readonly deciding: (...of: Described) => z.ZodMiniOptional<Type>;
}

type Described = readonly [description: string, ...marks: readonly Mark[]];

export function fieldsOfType<Type extends z.ZodMiniType>(type: Type): FieldsOfType<Type> {
  return {
    type,
    required: (...of) => described(type, ...of),
    optional: (...of) => optional(type, ...of),
    nullish: (...of) => nullish(type, ...of),
    deciding: (...of) => deciding(type, ...of),
  };
}
