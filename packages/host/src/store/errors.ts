import { DramaturgError } from '@dramaturg/compiler';

export type StoreErrorCode =
  /** Another owner has the place. */
  | 'store/owned'
  /** Another owner has taken the place away from this one, which was believed dead. */
  | 'store/lost'
  | 'store/closed'
  /** What is there is not a store of this kind, or one of a later version. */
  | 'store/foreign'
  | 'store/exists'
  | 'store/unknown'
  /** The record is not at the revision that a change was worked out from. */
  | 'store/conflict'
  | 'store/ended'
  /** What is stored cannot be trusted. */
  | 'store/damaged'
  /** Arguments that no store could serve: a name too long, a time that is no number, a value that is not JSON. */
  | 'store/bad-request'
  /** No space is left. */
  | 'store/full'
  | 'store/read-only'
  /** The system or the device failed. Whether a write that ends so has happened is known after the next `open`. */
  | 'store/failed';

/** What a store could not do. `cause` is what the system said, if it was asked. */
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
    `The record ${quoted(id)} is at revision ${actual}, and the change was worked out from ${expected}.`,
  );
}

export function recordEnded(id: string): StoreError {
  return new StoreError('store/ended', `The record ${quoted(id)} has ended and accepts nothing.`);
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

/** A name as an error shows it: names may come from outside, so that line breaks are escaped and length is bounded. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

const codesOfSystem: Readonly<Record<string, StoreErrorCode>> = {
  ENOSPC: 'store/full',
  EDQUOT: 'store/full',
  EFBIG: 'store/full',
  EROFS: 'store/read-only',
  EACCES: 'store/read-only',
  EPERM: 'store/read-only',
};

/**
 * The error for what the system answered. An error that is a `StoreError` stays as it is.
 *
 * @param doing what was being done, as the beginning of a sentence: 'Writing the record "a"'
 */
export function systemFailure(doing: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = codesOfSystem[systemCodeOf(cause) ?? ''] ?? 'store/failed';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(code, `${doing} failed: ${reason}`, { cause });
}

/** 'ENOENT' and the like. */
export function systemCodeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
