import { badRequest } from '../errors.ts';
import { isRecord } from '@dramaturg/compiler';
import type { HostEvent } from '../instance/event.ts';
import type { Store } from '../store/contract.ts';
import { readerPrefix } from './record-ids.ts';

/**
 * The position of a reader of the events of all instances, stored with the instances so that any process can continue. A reader
 * has one process at a time.
 */
export interface ReaderPosition {
  /** The string that was saved last; undefined the first time. */
  load(): Promise<string | undefined>;

  /**
   * Stores the progress of the reader. Fulfils when it is durable.
   *
   * @param text the cursor after which to continue, and other data for the next process
   * @param read how many journal lines were read of each instance with events since the last save
   */
  save(text: string, read: ReadonlyMap<string, number>): Promise<void>;

  /** The cursor with which a new reader begins: before the first stored event, or after the last one. */
  begin(fromBeginning: boolean): Promise<string>;

  /**
   * The events after a cursor: first the stored ones, then new ones. They wait for the reader, in order for each instance. On
   * Restate, they begin for each instance after the lines that were saved as read.
   *
   * @throws while iterating as `Host.events` with `after`
   */
  events(after: string, signal: AbortSignal): AsyncIterable<HostEvent>;
}

/** Owns the record with the string of a reader, and its known revision. */
export class ReaderRecord {
  readonly #store: Store;
  readonly #id: string;
  readonly #now: () => number;
  #revision: number | undefined;

  /** @throws HostError `host/bad-request` */
  constructor(store: Store, name: string, now: () => number) {
    if (typeof name !== 'string' || !/^[\w-]{1,100}$/.test(name))
      throw badRequest(
        'The name of a reader has 1 to 100 letters, digits, "-" and "_", such as "traces".',
      );
    this.#store = store;
    this.#id = `${readerPrefix}${name}`;
    this.#now = now;
  }

  async load(): Promise<string | undefined> {
    const record = await this.#store.read(this.#id);
    this.#revision = record?.revision;
    const text = isRecord(record?.snapshot) ? record.snapshot['text'] : undefined;
    return typeof text === 'string' ? text : undefined;
  }

  async save(text: string): Promise<void> {
    const [id, now, snapshot] = [this.#id, this.#now(), { text }];
    for (;;) {
      const known = (this.#revision ??= (await this.#store.read(id))?.revision);
      try {
        const { revision } = await (known === undefined
          ? this.#store.create({ id, kind: 'host', status: 'reader', createdAt: now, snapshot })
          : this.#store.commit({ id, expectedRevision: known, updatedAt: now, snapshot }));
        this.#revision = revision;
        return;
      } catch (error) {
        this.#revision = undefined;
        // Another process has saved the record.
        if (known === undefined || Object(error).code !== 'store/conflict') throw error;
      }
    }
  }
}
