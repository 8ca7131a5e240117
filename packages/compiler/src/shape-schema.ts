import * as z from 'zod/mini';
import { isRecord, type Path } from './json.ts';

/** The parts of an unwrapped zod schema that the compiler reads. */
interface SchemaParts {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  /** The schema of undeclared fields, for an object. */
  readonly catchall?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly items?: readonly z.core.$ZodType[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
}

/** The parts of a schema without optional, nullable, default and lazy wrappers. */
export function partsOf(schema: z.core.$ZodType): SchemaParts {
  return defOf(unwrapped(schema));
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  let current = schema;
  for (;;) {
    const { type, getter, innerType } = defOf(current);
    const next = type === 'lazy' ? getter?.() : innerType;
    if (next === undefined) return current;
    current = next;
  }
}

interface Wrapping {
  readonly innerType?: z.core.$ZodType;
  readonly getter?: () => z.core.$ZodType;
}

function defOf({ _zod: { def } }: z.core.$ZodType): SchemaParts & Wrapping {
  return def;
}

export function isOptional(schema: z.core.$ZodType): boolean {
  return z.safeParse(schema, undefined).success;
}

/** The fields of an object; none for any other schema. */
export function fieldsOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  return partsOf(schema).shape ?? {};
}

/** The alternatives of a union that match the type of a value. Any other schema is its own only alternative. */
export function branchesFor(schema: z.core.$ZodType, value: unknown): readonly z.core.$ZodType[] {
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
export function schemaAt(
  schema: z.core.$ZodType,
  value: unknown,
  path: Path,
): z.core.$ZodType | undefined {
  let current: z.core.$ZodType | undefined = schema;
  let part: unknown = value;
  for (const step of path) {
    const branches: readonly z.core.$ZodType[] = current
      ? branchesFor(chosen(current, part), part)
      : [];
    current = branches.map((branch) => childOf(branch, step)).find((child) => child !== undefined);
    part =
      Array.isArray(part) || isRecord(part) ? (part as Record<string, unknown>)[step] : undefined;
  }
  return current;
}

/** Resolves a schema that depends on the value: its meta has the function that chooses the actual schema. */
function chosen(schema: z.core.$ZodType, value: unknown): z.core.$ZodType {
  const choose = z.globalRegistry.get(schema)?.['choose'] as
    | ((value: unknown) => z.core.$ZodType)
    | undefined;
  return choose?.(value) ?? schema;
}

function childOf(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const { shape, element, valueType, items } = partsOf(schema);
  if (typeof step === 'number') return element ?? items?.[step];
  return shape && Object.hasOwn(shape, step) ? shape[step] : valueType;
}
