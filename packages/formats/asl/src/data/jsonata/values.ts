import { DramaturgError, isRecord } from '@dramaturg/compiler';

/** A function of an expression, or of the library. It checks its arguments itself. */
export interface Callable {
  (args: readonly unknown[], input?: unknown): unknown;
  /** The most arguments that another function passes to this one. */
  arity: number;
}

/** A list with the marks of the library. */
export interface List extends Array<unknown> {
  /** A list of results: a list of one result counts as that result. */
  sequence?: boolean;
  keepSingleton?: boolean;
  /** A list written in brackets, which is one item as a whole. */
  cons?: boolean;
  /** Its items are results with the variables that steps have bound. */
  tupleStream?: boolean;
  outerWrapper?: boolean;
}

/** Marks a list of results. */
export function sequence(...results: unknown[]): List {
  return asSequence(results);
}

export function asSequence(results: unknown[]): List {
  return Object.assign(results, { sequence: true });
}

export function isSequence(value: unknown): value is List {
  return Array.isArray(value) && (value as List).sequence === true;
}

export function isCallable(value: unknown): value is Callable {
  return typeof value === 'function';
}

/** Sets a field of any name: assigning to `__proto__` would set the prototype. */
export function setField(object: object, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  else (object as Record<string, unknown>)[name] = value;
}

/** The items of a list without its marks, or the values of fields. */
export function partsOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : Object.values(value);
}

/** The field of a value that is an object. */
export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** An error with a code of JSONata. The library has a sentence for each code, and fills in the fields. */
export class CodedError extends DramaturgError {
  override readonly name = 'CodedError';
  token?: string | undefined;

  constructor(code: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(code, '');
    Object.assign(this, fields);
  }
}

/** @throws CodedError D1001 for an infinite number */
export function isNumeric(value: unknown): value is number {
  if (typeof value !== 'number' || Number.isNaN(value)) return false;
  if (!Number.isFinite(value)) throw new CodedError('D1001', { value: String(value) });
  return true;
}
