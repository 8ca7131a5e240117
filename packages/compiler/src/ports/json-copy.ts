import * as z from 'zod/mini';
import { DramaturgError } from '../error.ts';
import { isRecord, type Json } from '../json.ts';

/** No real data is deeper, and deeper data could exhaust the stack of the code that stores it. Also stops at cycles. */
const deepest = 1_000;

/**
 * Copies a JSON value, so that neither side of a port can change the other's data. Like `z.json()` it refuses everything else and
 * drops the key `__proto__`; it also refuses cycles. It visits each value once, because all data of a machine passes through
 * here; `z.json()` tries six schemas.
 */
export const json: z.ZodMiniType<Json> = z.pipe(z.unknown(), z.transform(checked));

export const jsonObject: z.ZodMiniType<Record<string, Json>, Record<string, unknown>> = z.pipe(
  z.custom<Record<string, unknown>>(isRecord, { error: 'Invalid input: expected an object' }),
  z.transform((value: unknown, context) => checked(value, context)) as never,
);

function checked(value: unknown, { issues }: z.core.ParsePayload): Json {
  try {
    return copyOf(value, 0);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    const { message, path } = error;
    issues.push({ code: 'custom', message, path, input: value });
    return z.NEVER;
  }
}

class NotJsonError extends DramaturgError<'json/not-json'> {
  override readonly name = 'NotJsonError';
  /** The keys that lead to the value. */
  readonly path: (string | number)[] = [];

  constructor(message: string) {
    super('json/not-json', message);
  }
}

function copyOf(value: unknown, depth: number): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw new NotJsonError(`Invalid input: ${value} is not JSON`);
    case 'object':
      if (value === null) return value;
      if (depth === deepest) {
        throw new NotJsonError(`Invalid input: nested more than ${deepest} levels deep, or cyclic`);
      }
      if (Array.isArray(value)) return listCopy(value, depth + 1);
      if (isPlain(value)) return objectCopy(value as Record<string, unknown>, depth + 1);
      throw new NotJsonError(
        `Invalid input: an instance of ${value.constructor?.name} is not JSON`,
      );
    default:
      throw new NotJsonError(`Invalid input: ${typeof value} is not JSON`);
  }
}

function listCopy(list: readonly unknown[], depth: number): Json {
  const copy: Json[] = [];
  for (let index = 0; index < list.length; index += 1) {
    try {
      copy.push(copyOf(list[index], depth));
    } catch (error) {
      throw placed(error, index);
    }
  }
  return copy;
}

function objectCopy(record: Record<string, unknown>, depth: number): Json {
  const copy: Record<string, Json> = {};
  for (const key of Object.keys(record)) {
    if (key === '__proto__') continue;
    try {
      copy[key] = copyOf(record[key], depth);
    } catch (error) {
      throw placed(error, key);
    }
  }
  if (Object.getOwnPropertySymbols(record).length > 0) {
    throw new NotJsonError('Invalid input: a key that is a symbol is not JSON');
  }
  return copy;
}

function placed(error: unknown, key: string | number): unknown {
  if (error instanceof NotJsonError) error.path.unshift(key);
  return error;
}

/** Whether a value is not an instance of a class. Works across realms and ignores an own key `constructor`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
