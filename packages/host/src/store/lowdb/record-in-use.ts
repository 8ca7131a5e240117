import type { StoreError } from '../errors.ts';
import { systemFailure, quoted } from '../errors.ts';
import { toCommitted } from '../record-state.ts';
import type { Committed } from '../contract.ts';
import type { Write } from '../write.ts';
import type { DamageError } from '../damage-error.ts';
import { toDamageError } from './to-damage-error.ts';
import type { RecordFolder } from './record-folder.ts';

/** What a write has come to. */
export interface WriteResult {
  /** False when it had been stored before. */
  readonly isNew: boolean;
  readonly committed: Committed;
}

export interface RecordEvents {
  /** The record has taken writes, all of which are stored. */
  readonly onStored: (folder: RecordFolder) => void;
  /** Sets the record aside; the answer is what its callers are told. */
  readonly onDamage: (damage: DamageError) => Promise<StoreError>;
  /** Settling has failed. Nothing is lost: the writes stay in the log. */
  readonly onError: (error: StoreError) => void;
}

/**
 * A record that is being read and written (H3 begins here): its calls are answered one group after another. Writes that
 * are called while the device works are appended together after that, and share one flush.
 */
export class RecordInUse {
  readonly #id: string;
  readonly #folder: RecordFolder;
  readonly #logSize: number;
  readonly #events: RecordEvents;
  #waiting: Call[] = [];
  #worker: Promise<void> | undefined;
  #compaction: Promise<void> | undefined;
  #isLoaded = false;

  /** @param logSize bytes of log from which on it is settled, if the record is not larger */
  constructor(id: string, folder: RecordFolder, logSize: number, events: RecordEvents) {
    this.#id = id;
    this.#folder = folder;
    this.#logSize = logSize;
    this.#events = events;
  }

  get isBusy(): boolean {
    return this.#worker !== undefined || this.#compaction !== undefined;
  }

  write(write: Write): Promise<WriteResult> {
    return this.#call<WriteResult>((resolve, reject) => ({
      type: 'write',
      write,
      resolve,
      reject,
    }));
  }

  /** Reads what is stored: after the writes that were called before. */
  read<Value>(reader: (folder: RecordFolder) => Value): Promise<Value> {
    return this.#call<Value>((resolve, reject) => ({
      type: 'read',
      read: () => resolve(reader(this.#folder)),
      reject,
    }));
  }

  /** Empties the log, but for writes that come in the meantime. Fulfils also when that fails. */
  async compact(): Promise<void> {
    await this.whenIdle();
    await this.#call<void>((resolve, reject) => ({
      type: 'read',
      read: () => {
        this.#startCompaction();
        resolve();
      },
      reject,
    }));
    await this.#compaction;
  }

  /** Nothing is under way. */
  async whenIdle(): Promise<void> {
    await this.#worker;
    await this.#compaction;
  }

  #call<Value>(callOf: (resolve: (value: Value) => void, reject: Reject) => Call): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(callOf(resolve, reject));
      this.#worker ??= this.#answerCalls();
    });
  }

  async #answerCalls(): Promise<void> {
    // Whoever calls several times without waiting is done with it after this.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.splice(0);
      try {
        await this.#load();
        await this.#store(calls.filter((call) => call.type === 'write'));
        await this.#load();
        for (const call of calls) if (call.type === 'read') call.read();
      } catch (error) {
        const failure = await this.#failure(error);
        // Those that were answered before stay so.
        for (const call of [...calls, ...this.#waiting.splice(0)]) call.reject(failure);
      }
      // After a failure the record in memory is not what is stored, until it is loaded again.
      if (this.#isLoaded && this.#folder.logLength > this.#logLimit()) this.#startCompaction();
    }
    // Not a step later: a call that came in between would wait for ever.
    this.#worker = undefined;
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    // Reading what is being settled would find half of it.
    await this.#compaction;
    await this.#folder.load();
    this.#isLoaded = true;
    // A log that was long to read is not read again.
    if (this.#folder.logLength > longLog) this.#startCompaction();
  }

  async #store(calls: readonly WriteCall[]): Promise<void> {
    if (calls.length === 0) return;
    const taken: Write[] = [];
    const answers = calls.map((call) => this.#take(call, taken));
    if (taken.length > 0) {
      try {
        // A receipt waits for no flush: see `Store.acknowledge`.
        const until = taken.every(({ type }) => type === 'acknowledge') ? 'system' : 'device';
        await this.#folder.append(taken, until);
      } catch (error) {
        this.#isLoaded = false;
        const failure = systemFailure(`Writing the record ${quoted(this.#id)}`, error);
        // A write that was refused may have been refused because of one that now has not happened.
        for (const { reject } of calls) reject(failure);
        return;
      }
      this.#events.onStored(this.#folder);
    }
    for (const answer of answers) answer();
  }

  /** @returns what answers the call, once the writes before it are stored */
  #take({ write, resolve, reject }: WriteCall, taken: Write[]): () => void {
    try {
      const isNew = this.#folder.apply(write);
      if (isNew) taken.push(write);
      const stored = { isNew, committed: toCommitted(this.#folder.held!.summary) };
      return () => resolve(stored);
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

  /** Settling writes the record once more: its log is several times as long by then. */
  #logLimit(): number {
    return Math.max(this.#logSize, 8 * (this.#folder.held?.snapshot.length ?? 0));
  }

  #startCompaction(): void {
    this.#compaction ??= this.#folder
      .compact()
      .catch((error: unknown) => {
        this.#events.onError(
          systemFailure(`Settling the log of the record ${quoted(this.#id)}`, error),
        );
      })
      .finally(() => {
        this.#compaction = undefined;
      });
  }
}

const longLog = 1 << 16;

type Reject = (error: unknown) => void;

interface WriteCall {
  readonly type: 'write';
  readonly write: Write;
  readonly resolve: (stored: WriteResult) => void;
  readonly reject: Reject;
}

interface ReadCall {
  readonly type: 'read';
  readonly read: () => void;
  readonly reject: Reject;
}

type Call = WriteCall | ReadCall;
