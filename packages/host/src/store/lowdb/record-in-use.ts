import type { StoreError } from '../errors.ts';
import { systemFailure, quoted } from '../errors.ts';
import { toCommitted } from '../record-state.ts';
import type { Write, WriteResult } from '../write.ts';
import type { DamageError } from '../damage-error.ts';
import type { DeleteWrite, LogEntry } from './log/line.ts';
import { toDamageError } from './to-damage-error.ts';
import type { RecordFolder } from './record-folder.ts';

export interface RecordEvents {
  /** Called after writes were stored. */
  readonly onStored: (folder: RecordFolder) => void;
  /** Sets the record aside. The callers get the returned error. */
  readonly onDamage: (damage: DamageError) => Promise<StoreError>;
  /** Called when a compaction failed. Nothing is lost: the writes stay in the log. */
  readonly onError: (error: StoreError) => void;
}

/**
 * A record that is being read and written (H3 begins here). Owns the queue of its calls, its one worker and its
 * compaction. The worker handles the queue in groups: writes that are called during a flush are appended together
 * afterwards and share the next flush.
 *
 * States: idle → working → idle, and independently compacting or not. The folder is loaded by the first call, and again
 * after a failure. Loading waits for a running compaction.
 */
export class RecordInUse {
  readonly #id: string;
  readonly #folder: RecordFolder;
  readonly #events: RecordEvents;
  #queue: Call[] = [];
  #worker: Promise<void> | undefined;
  #compaction: Promise<void> | undefined;
  #isLoaded = false;

  constructor(id: string, folder: RecordFolder, events: RecordEvents) {
    this.#id = id;
    this.#folder = folder;
    this.#events = events;
  }

  get isBusy(): boolean {
    return this.#worker !== undefined || this.#compaction !== undefined;
  }

  write(write: Write | DeleteWrite): Promise<WriteResult> {
    return this.#call<WriteResult>((resolve, reject) => ({
      type: 'write',
      write,
      resolve,
      reject,
    }));
  }

  /** Reads the record after all writes that were called before. */
  read<Value>(reader: (folder: RecordFolder) => Value | Promise<Value>): Promise<Value> {
    return this.#call<Value>((resolve, reject) => ({
      type: 'read',
      read: async () => resolve(await reader(this.#folder)),
      reject,
    }));
  }

  /** Compacts the writes that are stored now. Fulfils also when the compaction fails. */
  async compact(): Promise<void> {
    await this.whenIdle();
    await this.#call<void>((resolve, reject) => ({
      type: 'read',
      read: async () => {
        this.#startCompaction();
        resolve();
      },
      reject,
    }));
    await this.#compaction;
  }

  /** Waits until neither the worker nor a compaction runs. */
  async whenIdle(): Promise<void> {
    await this.#worker;
    await this.#compaction;
  }

  #call<Value>(
    createCall: (resolve: (value: Value) => void, reject: Reject) => Call,
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#queue.push(createCall(resolve, reject));
      this.#worker ??= this.#answerCalls();
    });
  }

  async #answerCalls(): Promise<void> {
    // Collects all calls that the caller makes synchronously.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const calls = this.#queue.splice(0);
      try {
        await this.#load();
        await this.#store(calls.filter((call) => call.type === 'write'));
        await this.#load();
        for (const call of calls) if (call.type === 'read') await call.read();
      } catch (error) {
        const failure = await this.#failure(error);
        // Calls that are settled already keep their result.
        for (const call of [...calls, ...this.#queue.splice(0)]) call.reject(failure);
      }
    }
    // In the same step as the check above: otherwise a call made in between would wait forever.
    this.#worker = undefined;
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    // Files that are being compacted are inconsistent.
    await this.#compaction;
    await this.#folder.load();
    this.#isLoaded = true;
  }

  async #store(calls: readonly WriteCall[]): Promise<void> {
    if (calls.length === 0) return;
    const applied: LogEntry[] = [];
    let first = 0;
    const answers = calls.map((call) => this.#apply(call, applied));
    if (applied.length > 0) {
      try {
        // A receipt does not wait for a flush: see `Store.acknowledge`.
        const durability = applied.every(({ write }) => write.type === 'acknowledge')
          ? 'system'
          : 'device';
        first = await this.#folder.append(applied, durability);
      } catch (error) {
        this.#isLoaded = false;
        const failure = systemFailure(`Writing the record ${quoted(this.#id)}`, error);
        // All calls fail, even refused ones: a write may have been refused because of one that now is not stored.
        for (const { reject } of calls) reject(failure);
        return;
      }
      this.#events.onStored(this.#folder);
    }
    for (const answer of answers) answer(first);
  }

  /** @returns a function that answers the call, to be run once the writes before it are stored, with the number of the first one */
  #apply({ write, resolve, reject }: WriteCall, applied: LogEntry[]): (first: number) => void {
    try {
      const entry = this.#folder.apply(write);
      const place = applied.length;
      if (entry !== undefined) applied.push(entry);
      const { held } = this.#folder;
      const committed = held === undefined ? noCommit : toCommitted(held.summary);
      return (first) => {
        const position = entry?.from === undefined ? {} : { position: first + place };
        resolve({ isNew: entry !== undefined, committed: { ...committed, ...position } });
      };
    } catch (error) {
      return () => reject(error);
    }
  }

  async #failure(error: unknown): Promise<StoreError> {
    this.#isLoaded = false;
    const damage = toDamageError(error);
    if (damage === undefined) return systemFailure(`Reading the record ${quoted(this.#id)}`, error);
    await this.#compaction;
    return this.#events.onDamage(damage);
  }

  #startCompaction(): void {
    this.#compaction ??= this.#folder
      .compact()
      .catch((error: unknown) => {
        this.#events.onError(systemFailure(`Compacting the record ${quoted(this.#id)}`, error));
      })
      .finally(() => {
        this.#compaction = undefined;
      });
  }
}

/** Of a deleted record. */
const noCommit = { revision: 0, journalLength: 0, transcriptLength: 0 };

type Reject = (error: unknown) => void;

interface WriteCall {
  readonly type: 'write';
  readonly write: Write | DeleteWrite;
  readonly resolve: (stored: WriteResult) => void;
  readonly reject: Reject;
}

interface ReadCall {
  readonly type: 'read';
  readonly read: () => Promise<void>;
  readonly reject: Reject;
}

type Call = WriteCall | ReadCall;
