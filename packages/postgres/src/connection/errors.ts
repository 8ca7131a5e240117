import { DramaturgError } from '@dramaturg/compiler';
import { StoreError, type StoreErrorCode } from '@dramaturg/host';
import { systemCodeOf } from '@dramaturg/host/store';

interface Meaning {
  readonly code: StoreErrorCode;
  /** The next step for the user: a sentence. */
  readonly hint: string;
}

const unavailable: Meaning = {
  code: 'store/failed',
  hint: 'Check that the server runs and can be reached; the store then continues with new connections.',
};

/** The meanings by SQLSTATE, or by its first two characters. */
const meanings: Readonly<Record<string, Meaning>> = {
  '08': unavailable,
  '57P01': unavailable,
  '57P02': unavailable,
  '57P03': unavailable,
  '57014': {
    code: 'store/failed',
    hint: 'The statement took too long or was cancelled. Look for locks in pg_stat_activity, and raise statement_timeout.',
  },
  '53100': { code: 'store/full', hint: 'Free some space on the device of the server.' },
  '53300': {
    code: 'store/failed',
    hint: 'Raise max_connections of the server, or start fewer clients.',
  },
  '25006': {
    code: 'store/read-only',
    hint: 'The server is a standby or read-only. Name the primary server.',
  },
  '42501': {
    code: 'store/read-only',
    hint: 'Grant the user the rights that docs/postgres.md lists.',
  },
  '28': { code: 'store/failed', hint: 'Check the user and the password in the URL.' },
  '3D000': { code: 'store/foreign', hint: 'Create the database, or name another one.' },
  '42P01': {
    code: 'store/foreign',
    hint: 'A table of the store is missing: restore a backup, or name another schema.',
  },
  XX001: { code: 'store/damaged', hint: 'A page of the database is damaged: restore a backup.' },
  XX002: {
    code: 'store/damaged',
    hint: 'An index is damaged: run REINDEX on the tables of the store.',
  },
};

/** Wraps an error of Postgres or of the network in a `StoreError`. The message has no password. */
export function postgresFailure(doing: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code, hint } = meaningOf(cause);
  return new StoreError(code, `${doing} failed: ${reasonOf(cause)} ${hint}`, { cause });
}

/**
 * Whether the connection failed, so that the outcome of the statement is unknown. All other errors are answers of the server,
 * which has rolled back the statement.
 */
export function isConnectionLoss(error: unknown): boolean {
  const isOwn = [DramaturgError, TypeError, RangeError].some((type) => error instanceof type);
  if (isOwn) return false;
  const state = sqlStateOf(error);
  return state === undefined || state.startsWith('08') || state.startsWith('57P');
}

/**
 * Whether a prepared statement is missing or already exists, because a pooler has given the client another connection. The
 * statement did not run.
 */
export function isPreparedElsewhere(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '26000' || state === '42P05';
}

/** The five characters with which Postgres names an error. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = systemCodeOf(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as object)
    ? code
    : undefined;
}

function meaningOf(cause: unknown): Meaning {
  const state = sqlStateOf(cause);
  if (state === undefined) return unavailable;
  return (
    meanings[state] ??
    meanings[state.slice(0, 2)] ?? { code: 'store/failed', hint: 'Look in the log of the server.' }
  );
}

function reasonOf(cause: unknown): string {
  // Several addresses were tried: the message is empty.
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(' ');
  const reason = cause instanceof Error ? cause.message : String(cause);
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
