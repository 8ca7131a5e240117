import type { Json } from '@dramaturg/compiler';
import { JournalLines } from '../instance/journal-lines.ts';
import type { InstanceState } from '../instance/state.ts';
import type { NewLines, NewRecord, Store, StoreRecord } from '../store/contract.ts';

/** The status of a fork whose steps are still being repeated. */
export const forkingStatus = 'forking';

/** The number of lines in one write, which bounds both the number of writes and the time of each. */
const linesPerWrite = 500;

type Fields = Pick<NewRecord, 'status' | 'snapshot'> & Partial<Omit<NewRecord, 'parts'>>;

/**
 * Owns the record of a fork until the fork is complete. Lines are written in pages while the steps are repeated, so that
 * memory does not grow with the number of steps.
 *
 * States: not stored → incomplete (the first page is stored, with the status `forking`) → complete or deleted. A short fork
 * is stored by one write. After a crash, the next host deletes an incomplete record.
 */
export class ForkRecord {
  readonly #store: Store;
  readonly #origin: Pick<NewRecord, 'id' | 'definition' | 'createdAt'>;
  readonly #lines = new JournalLines();
  #journal: Json[] = [];
  #transcript: Json[] = [];
  #revision: number | undefined;

  constructor(store: Store, origin: Pick<NewRecord, 'id' | 'definition' | 'createdAt'>) {
    this.#store = store;
    this.#origin = origin;
  }

  /** Adds lines, and writes them when there are enough for a page. */
  async add({ journal = [], transcript = [] }: NewLines, state: InstanceState): Promise<void> {
    this.#journal.push(...journal);
    this.#transcript.push(...transcript);
    if (this.#journal.length + this.#transcript.length < linesPerWrite) return;
    const snapshot = { ...state, forking: true } as unknown as Json;
    await this.#write({ status: forkingStatus, snapshot });
  }

  /** Writes the remaining lines, and the fields with which the fork continues. */
  async complete(fields: Fields, lastLine: Json): Promise<void> {
    this.#journal.push(lastLine);
    await this.#write(fields);
  }

  /** Deletes the stored record. */
  async discard(): Promise<void> {
    if (this.#revision !== undefined) await this.#store.delete(this.#origin.id);
  }

  async #write({ outbox = [], ...fields }: Fields): Promise<void> {
    const journal = this.#lines.shorten(this.#journal);
    const lines = { journal, transcript: this.#transcript };
    this.#journal = [];
    this.#transcript = [];
    const { id, createdAt } = this.#origin;
    const { revision, journalLength } =
      this.#revision === undefined
        ? await this.#store.create({
            ...this.#origin,
            kind: 'instance',
            ...fields,
            outbox,
            ...lines,
          })
        : await this.#store.commit({
            id,
            expectedRevision: this.#revision,
            updatedAt: createdAt,
            ...fields,
            effects: outbox,
            ...lines,
          });
    this.#revision = revision;
    this.#lines.stored(journalLength - journal.length, () => false);
  }
}

/** Whether a record is a fork whose steps are still being repeated, or were when its host died. */
export function isIncompleteFork({ status, snapshot }: StoreRecord): boolean {
  return status === forkingStatus && Object(snapshot).forking === true;
}
