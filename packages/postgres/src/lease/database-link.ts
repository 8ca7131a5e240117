import { Socket } from 'node:net';
import pg from 'pg';

export interface DatabaseLinkOptions {
  readonly connection: pg.ClientConfig;
  /** Called with the payload of each notification of the channels that `prepare` listens to. */
  readonly onNotification?: (payload: string | undefined) => void;
  /** Statements to run on each new connection. */
  readonly prepare?: string;
}

interface Opened {
  readonly client: pg.Client;
  readonly socket: Socket;
}

export type Row = Readonly<Record<string, unknown>>;

/**
 * One connection that never hangs: a query without an answer in time closes it, because a half-open connection gives no other
 * sign. The next query connects again. Queries run one at a time.
 *
 * States: idle (no connection) → connected → idle, or closed.
 */
export class DatabaseLink {
  readonly #options: DatabaseLinkOptions;
  #open: Opened | undefined;
  #isClosed = false;
  #connections = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: DatabaseLinkOptions) {
    this.#options = options;
  }

  /** The number of connections opened so far. */
  get connections(): number {
    return this.#connections;
  }

  /**
   * Runs a statement, and connects first if necessary.
   *
   * @param withinMs milliseconds for connecting and the statement
   * @throws Error of the driver or the system. Unless the server refused the statement, its outcome is unknown
   */
  query(text: string, values: readonly unknown[], withinMs: number): Promise<readonly Row[]> {
    const run = () => this.#inTime(() => this.#run(text, values), withinMs);
    const result = this.#last.then(run, run);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Ends the connection immediately. A running query fails. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  async #run(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const { client } = this.#open ?? (await this.#connect());
    const { rows } = await client.query<Row>(text, [...values]);
    return rows;
  }

  async #connect(): Promise<Opened> {
    if (this.#isClosed) throw new Error('The connection is closed.');
    const { connection, onNotification, prepare } = this.#options;
    const socket = new Socket();
    const client = new pg.Client({ ...connection, keepAlive: true, stream: () => socket });
    const opened = { client, socket };
    // A running query fails with the same error.
    client.on('error', () => this.#drop(opened));
    client.on('end', () => this.#drop(opened));
    if (onNotification) client.on('notification', ({ payload }) => onNotification(payload));
    this.#open = opened;
    try {
      await client.connect();
      if (prepare !== undefined) await client.query(prepare);
      this.#connections += 1;
      return opened;
    } catch (error) {
      this.#drop(opened);
      throw error;
    }
  }

  async #inTime<Value>(work: () => Promise<Value>, withinMs: number): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#drop();
        reject(new Error(`The database does not answer within ${withinMs} ms.`));
      }, withinMs);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      // The server has answered with an error: the connection is sound.
      if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL') this.#drop();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #drop(dropped = this.#open): void {
    dropped?.socket.destroy();
    if (this.#open === dropped) this.#open = undefined;
  }
}
