import type { Database } from 'better-sqlite3';
import { StoreError } from '../errors.ts';
import { type Mark, writeMark } from './mark.ts';

/** Writes and checks the mark of this owner. Owns its newest value. */
export class OwnerMark {
  readonly #database: Database;
  readonly #randomId: () => string;
  readonly #statements;
  #mark: Mark;

  /** @param mark the mark of the previous owner, in the database and in the log */
  constructor(database: Database, mark: Mark, randomId: () => string) {
    this.#database = database;
    this.#mark = { ...mark, epoch: mark.epoch + 1 };
    this.#randomId = randomId;
    this.#statements = {
      epoch: database.prepare('SELECT epoch FROM owner').pluck(),
      toggle: database.prepare('UPDATE owner SET unflushed = 1 - unflushed'),
    };
  }

  /**
   * Begins a log. Has to be called when the database has the whole previous log.
   *
   * @param copyLog copies the log into the database and flushes both
   */
  beginLog(copyLog: () => void): void {
    try {
      // Before this log is used, the database must say that it needs one.
      this.#write(1);
      copyLog();
      this.#write(0);
    } catch (error) {
      // When the store is closed, SQLite copies the rest of the log and removes it: the database must not need it then.
      writeMark(this.#database, { ...this.#mark, needs_log: 0 });
      throw error;
    }
  }

  /**
   * Checks inside a transaction that this owner still has the store.
   *
   * @throws `store/lost`
   */
  check(): void {
    const epoch = this.#statements.epoch.get() as number | undefined;
    if (epoch === this.#mark.epoch) return;
    throw new StoreError(
      'store/lost',
      `Another owner has opened the store: it is at epoch ${epoch ?? 'unknown'}, and this owner has epoch ${this.#mark.epoch}. This process writes nothing more. Stop it.`,
    );
  }

  /** Marks a transaction that does not wait for a flush. With it, `readLogFile` distinguishes an interrupted write from damage. */
  noteUnflushed(): void {
    this.#statements.toggle.run();
  }

  #write(needs_log: 0 | 1): void {
    const { epoch, token } = this.#mark;
    const mark: Mark = { epoch, base: token, token: this.#randomId(), needs_log };
    writeMark(this.#database, mark);
    this.#mark = mark;
  }
}
