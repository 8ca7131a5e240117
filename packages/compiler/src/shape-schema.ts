import type { z } from 'zod';
import { isRecord } from './json.ts';
import type { Path } from './path.ts';

/** The parts of an unwrapped zod schema that the compiler reads. */
export interface SchemaParts {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly items?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
}

/** The parts of a schema without optional, nullable, default and lazy wrappers. */
export function partsOf(schema: z.ZodType): SchemaParts {
  return defOf(unwrapped(schema));
}

function unwrapped(schema: z.ZodType): z.ZodType {
  let current = schema;
  for (;;) {
    const { type, getter, innerType } = defOf(current);
    const next = type === 'lazy' ? getter?.() : innerType;
    if (next === undefined) return current;
    current = next;
  }
}

interface Wrapping {
  readonly innerType?: z.ZodType;
  readonly getter?: () => z.ZodType;
}

function defOf({ def }: z.ZodType): SchemaParts & Wrapping {
  return def;
}

export function isOptional(schema: z.ZodType): boolean {
  return schema.safeParse(undefined).success;
}

/** The fields of an object; none for any other schema. */
export function fieldsOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  return partsOf(schema).shape ?? {};
}

/** The alternatives of a union that match the type of a value. Any other schema is its own only alternative. */
export function branchesFor(schema: z.ZodType, value: unknown): readonly z.ZodType[] {
  const { type, options = [] } = partsOf(schema);
  if (type !== 'union') return [unwrapped(schema)];
  const kinds = isRecord(value)
    ? ['object', 'record']
    : Array.isArray(value)
      ? ['array', 'tuple']
      : [];
  return options
    .flatMap((option) => branchesFor(option, value))
    .filter((option) => kinds.includes(partsOf(option).type));
}

/** The schema of a part of a value; undefined when the schema does not define the part. */
export function schemaAt(schema: z.ZodType, value: unknown, path: Path): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  let part: unknown = value;
  for (const step of path) {
    const branches: readonly z.ZodType[] = current ? branchesFor(chosen(current, part), part) : [];
    current = branches.map((branch) => childOf(branch, step)).find((child) => child !== undefined);
    part =
      Array.isArray(part) || isRecord(part) ? (part as Record<string, unknown>)[step] : undefined;
  }
  return current;
}

/** Resolves a schema that depends on the value: its meta has the function that chooses the actual schema. */
function chosen(schema: z.ZodType, value: unknown): z.ZodType {
  const choose = schema.meta()?.['choose'] as ((value: unknown) => z.ZodType) | undefined;
  return choose?.(value) ?? schema;
}

function childOf(schema: z.ZodType, step: string | number): z.ZodType | undefined {
  const { shape, element, valueType, items } = partsOf(schema);
  if (typeof step === 'number') return element ?? items?.[step];
  return shape && Object.hasOwn(shape, step) ? shape[step] : valueType;
}
