import { DramaturgError } from '@dramaturg/compiler';

export type StoreErrorCode =
  /** Another owner has the store. */
  | 'store/owned'
  /** Another owner has taken the store, because this one did not renew its lock. */
  | 'store/lost'
  | 'store/closed'
  /** The location holds something other than a store of this kind, or a store of a later version. */
  | 'store/foreign'
  | 'store/exists'
  | 'store/unknown'
  /** The record is not at the revision on which the change is based. */
  | 'store/conflict'
  /** The stored data differs from what was written. */
  | 'store/damaged'
  /** Invalid arguments: a name that is too long, a time that is not a number, a value that is not JSON. */
  | 'store/bad-request'
  /** A warning: the store has more records than it is designed for. */
  | 'store/large'
  /** No space is left. */
  | 'store/full'
  | 'store/read-only'
  /** The system or the device failed. Reopen the store to find out whether the write happened. */
  | 'store/failed';

/**
 * The failure of a store operation. `cause` is the error of the system, if there was one.
 *
 * @example
 * ```ts
 * const store = memoryStore();
 * const host = await createHost({ store, definitions: { intake }, ports: understudyPorts() });
 * try {
 *   await createHost({ store, definitions: { intake }, ports: understudyPorts() });
 * } catch (error) {
 *   if (error instanceof StoreError) console.log(error.code); // → store/owned
 * }
 * await host.stop();
 * ```
 */
export class StoreError extends DramaturgError<StoreErrorCode> {
  override readonly name = 'StoreError';
}

export function unknownRecord(id: string): StoreError {
  return new StoreError('store/unknown', `There is no record ${quoted(id)}.`);
}

export function recordExists(id: string): StoreError {
  return new StoreError('store/exists', `There is a record ${quoted(id)} already.`);
}

export function conflict(id: string, expected: number, actual: number): StoreError {
  return new StoreError(
    'store/conflict',
    `The record ${quoted(id)} is at revision ${actual}, and the change is based on revision ${expected}.`,
  );
}

export function damagedRecord(id: string, reason: string, where: string): StoreError {
  return new StoreError(
    'store/damaged',
    `The record ${quoted(id)} is damaged: ${reason} It is set aside in ${where}.`,
  );
}

export function badRequest(message: string, cause?: unknown): StoreError {
  return new StoreError('store/bad-request', message, cause === undefined ? {} : { cause });
}

export function storeClosed(): StoreError {
  return new StoreError('store/closed', 'The store has been closed.');
}

/**
 * Quotes a name for an error message. Names may come from outside: line breaks are escaped and the length is limited.
 */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

const errorCodes: Readonly<Record<string, StoreErrorCode>> = {
  ENOSPC: 'store/full',
  EDQUOT: 'store/full',
  EFBIG: 'store/full',
  EROFS: 'store/read-only',
  EACCES: 'store/read-only',
  EPERM: 'store/read-only',
};

/**
 * Wraps an error of the system in a `StoreError`. A `StoreError` is returned unchanged.
 *
 * @param doing the operation that failed, as the beginning of a sentence: 'Writing the record "a"'
 */
export function systemFailure(doing: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = errorCodes[systemCodeOf(cause) ?? ''] ?? 'store/failed';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(code, `${doing} failed: ${reason}`, { cause });
}

/** The code of a system error, such as 'ENOENT'. */
export function systemCodeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
