import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { DramaturgError } from '@dramaturg/compiler';
import { StoreError, type StoreErrorCode } from '@dramaturg/host';
import { badRequest, storeClosed, systemCodeOf } from '@dramaturg/host/store';
import pg from 'pg';

/** The location of a store: a schema of a database. */
export class Place {
  readonly schema: string;
  /** For messages: the URL without the password. */
  readonly label: string;
  /** A private field, so that printing an object does not print the password. */
  readonly #url: URL;

  /** @throws `store/bad-request` */
  constructor(url: URL, schema: string) {
    this.schema = checkedSchema(schema);
    this.label = labelOf(url, schema);
    this.#url = url;
  }

  /** Another schema of the same database. */
  withSchema(schema: string): Place {
    return new Place(this.#url, schema);
  }

  /**
   * The options of the driver for a connection.
   *
   * @param purpose shown in the list of connections, `pg_stat_activity`
   */
  connection(purpose = ''): Pick<pg.ClientConfig, 'connectionString' | 'application_name'> {
    const application = `dramaturg ${this.schema} ${purpose}`.trimEnd();
    return { connectionString: this.#url.href, application_name: application };
  }
}

const defaultSchema = 'dramaturg';

/** The maximum length of a name in Postgres, in bytes. It cuts longer names without an error. */
const nameBytesMax = 63;

/**
 * Reads the URL of a store: `postgres://user:password@host:port/database?schema=tenant`. The parameter `schema` is for Dramaturg.
 * All others go to the driver.
 *
 * @param schema takes precedence over the parameter
 * @throws `store/bad-request`
 */
export function placeOf(url: string, schema?: string): Place {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['postgres:', 'postgresql:'].includes(parsed.protocol))
    throw badRequest(
      'The URL of the Postgres store is not valid. Write postgres://user:password@host:port/database.',
    );
  const name = schema ?? parsed.searchParams.get('schema') ?? defaultSchema;
  parsed.searchParams.delete('schema');
  return new Place(parsed, name);
}

/** @throws `store/bad-request` */
function checkedSchema(name: string): string {
  const isUsable = name !== '' && !name.includes('\0') && !name.startsWith('pg_');
  if (isUsable && Buffer.byteLength(name) <= nameBytesMax && !/\p{Surrogate}/u.test(name))
    return name;
  throw badRequest(
    `${JSON.stringify(name)} cannot be the name of a schema. Use 1 to ${nameBytesMax} bytes that do not begin with "pg_".`,
  );
}

/** Quotes a name for a SQL statement. */
function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function labelOf({ username, host, pathname }: URL, schema: string): string {
  const user = username === '' ? '' : `${username}@`;
  return `postgres://${user}${host}${pathname}?schema=${encodeURIComponent(schema)}`;
}

export interface Timeouts {
  /** The timeout for a connection, in milliseconds. */
  readonly connectMs: number;
  /** The timeout for the answer to a statement, and also for a free connection, in milliseconds. */
  readonly answerMs: number;
  /** How long a read or a write is repeated after its connection was lost, in milliseconds. */
  readonly retryMs: number;
}

export type Value = string | number | boolean | null | Buffer;
export type Row = Readonly<Record<string, unknown>>;

/** Runs statements, alone or inside a transaction. `{schema}` in a statement is replaced by the name of the schema. */
export interface Statements {
  readonly run: <Found extends Row>(text: string, values?: readonly Value[]) => Promise<Found[]>;
}

/** Connections for transactions and for statements that may take long. */
const scannersMax = 3;
/** The time after which an idle one of these connections is closed, in milliseconds. */
const idleScannerMs = 10_000;
/** The other connections stay open, so that the first message after a quiet time does not wait for a new one. */
const forever = 0;

const int8 = 20;

/**
 * The connections to one schema. One is for writes. One is for reads, which are answered in the order of the calls. Statements
 * that may take long use others, so that they do not block these. A connection that has failed is closed, and the next statement
 * makes another.
 */
export class Database {
  readonly place: Place;
  readonly #writes: pg.Pool;
  readonly #reads: pg.Pool;
  readonly #scans: pg.Pool;
  readonly #sockets = new Set<Socket>();
  /** The names of prepared statements by their text; undefined once a pooler turned out not to support them. */
  #prepared: Map<string, string> | undefined = new Map();
  #isClosed = false;

  readonly timeouts: Timeouts;

  constructor(place: Place, timeouts: Timeouts) {
    const { connectMs, answerMs } = timeouts;
    this.place = place;
    this.timeouts = timeouts;
    const pool = (max: number, idleMs: number) => {
      const created = new pg.Pool({
        ...place.connection(),
        max,
        idleTimeoutMillis: idleMs,
        Client: class extends pg.Client {
          constructor(config: pg.ClientConfig) {
            super({ ...config, connectionTimeoutMillis: connectMs });
          }
        } as unknown as new () => pg.ClientBase,
        // The wait for a free connection. It is not `connectMs`, because a busy server can be reached.
        connectionTimeoutMillis: answerMs,
        query_timeout: answerMs,
        keepAlive: true,
        stream: () => this.#socket(),
        types: { getTypeParser },
      });
      // An idle connection was lost. The next statement opens another, and reports if it cannot.
      created.on('error', () => {});
      // The statement on this connection also fails. Without a listener, the event would end the process.
      created.on('connect', (client) => client.on('error', () => {}));
      return created;
    };
    this.#writes = pool(1, forever);
    this.#reads = pool(1, forever);
    this.#scans = pool(scannersMax, idleScannerMs);
  }

  /** Runs a read that takes milliseconds. It is repeated when its connection is lost. */
  async read<Found extends Row>(text: string, values: readonly Value[] = []): Promise<Found[]> {
    return this.#repeated<Found>(this.#reads, text, values);
  }

  /** Runs a statement that may take long. It is repeated when its connection is lost. */
  async scan<Found extends Row>(text: string, values: readonly Value[] = []): Promise<Found[]> {
    return this.#repeated<Found>(this.#scans, text, values);
  }

  /**
   * Runs a write as one statement, and so one transaction. It is not repeated. Each connection prepares it once, unless a pooler
   * gives each transaction another connection.
   *
   * @throws the error of the driver
   */
  async write<Found extends Row>(text: string, values: readonly Value[] = []): Promise<Found[]> {
    if (this.#prepared === undefined) return this.#run(this.#writes, text, values);
    let name = this.#prepared.get(text);
    if (name === undefined) {
      // A random name: no other client of the pooler has a statement with it.
      name = randomUUID();
      this.#prepared.set(text, name);
    }
    try {
      return await this.#run(this.#writes, text, values, name);
    } catch (error) {
      if (!isPreparedElsewhere(error)) throw error;
      this.#prepared = undefined;
      return this.#run(this.#writes, text, values);
    }
  }

  /**
   * Runs several statements in one transaction.
   *
   * @param mode such as `ISOLATION LEVEL REPEATABLE READ READ ONLY`
   */
  async transaction<Result>(
    mode: string,
    run: (statements: Statements) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.#scans.connect();
    let failure: unknown;
    try {
      await client.query(`BEGIN ${mode}`);
      const result = await run({
        run: async (text, values = []) => (await client.query(this.#named(text), [...values])).rows,
      });
      await client.query('COMMIT');
      return result;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // Closing the connection also undoes the transaction.
      client.release(failure !== undefined);
    }
  }

  /** Cuts all connections, so that statements on half-open ones fail now. Later statements open new ones. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#writes.end(), this.#reads.end(), this.#scans.end()]);
  }

  /** @param doing the operation that failed, as the beginning of a sentence */
  failure(doing: string, cause: unknown): StoreError {
    return postgresFailure(`${doing} of ${this.place.label}`, cause);
  }

  #repeated<Found extends Row>(pool: pg.Pool, text: string, values: readonly Value[]) {
    const run = () => this.#run<Found>(pool, text, values);
    return untilConnected(run, this.timeouts.retryMs, () => {
      if (this.#isClosed) throw storeClosed();
    });
  }

  async #run<Found extends Row>(
    pool: pg.Pool,
    text: string,
    values: readonly Value[],
    name?: string,
  ): Promise<Found[]> {
    const statement = { text: this.#named(text), values: [...values] };
    const { rows } = await pool.query<Found>(
      name === undefined ? statement : { ...statement, name },
    );
    return rows;
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #named(text: string): string {
    return text.replaceAll('{schema}', identifier(this.place.schema));
  }
}

function getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  // Numbers of records, revisions and counts are less than 2^53.
  if (type === int8 && format !== 'binary') return Number;
  return format === 'binary'
    ? pg.types.getTypeParser(type, 'binary')
    : pg.types.getTypeParser(type, 'text');
}

const firstPauseMs = 20;
const pauseMaxMs = 500;

/**
 * Repeats work whose connection was lost.
 *
 * @param retryMs how long to repeat, in milliseconds
 * @param check called before each repetition; it throws when the work is pointless
 */
export async function untilConnected<Result>(
  work: () => Promise<Result>,
  retryMs: number,
  check: () => void,
): Promise<Result> {
  const giveUpAt = performance.now() + retryMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLoss(error) || performance.now() + pauseMs > giveUpAt) throw error;
      await pause(pauseMs);
      check();
    }
  }
}

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
function postgresFailure(doing: string, cause: unknown): StoreError {
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
function isPreparedElsewhere(error: unknown): boolean {
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
