import { hostStopped } from '../errors.ts';
import type { Change, Committed, NewRecord, Receipt, Store } from '../store/contract.ts';
import { StoreError, type StoreErrorCode } from '../store/errors.ts';
import { overriding } from '../store/overriding.ts';
import type { OnError } from './error-reporter.ts';
import { probeId, writeHostRecord } from './record-ids.ts';

export type NotedWrite = NewRecord | Change | Receipt;

const reads = [
  'read',
  'list',
  'count',
  'due',
  'pending',
  'journal',
  'transcript',
  'feed',
  'damaged',
  'verify',
  'size',
  'backup',
] as const;
const writes = ['create', 'commit', 'acknowledge', 'delete', 'compact'] as const;

type MethodName = (typeof reads)[number] | (typeof writes)[number];

/** A success proves that the store accepts writes. The other operations may succeed without writing. */
const proofs: readonly MethodName[] = ['create', 'commit'];
const noted: readonly MethodName[] = ['create', 'commit', 'acknowledge'];

/** After these errors, the store may refuse every write until it is reopened. */
const untilReopened: readonly StoreErrorCode[] = ['store/failed', 'store/lost'];

/** Errors that other writes have as well. */
const ofStore: readonly StoreErrorCode[] = [...untilReopened, 'store/full', 'store/read-only'];

export interface StoreListener {
  readonly onStored: (write: NotedWrite, stored: Committed) => void;
  /** Gets failures after which the store has to be reopened: only the person who runs the host can do that. */
  readonly onError: OnError;
}

/**
 * The store that the parts of a host use, in front of the one that was opened.
 *
 * After another owner has the store, it refuses everything except `close`. It refuses reads too: stale answers of this host would
 * look like answers of the new one. A call that the stop has overtaken says that the host has stopped. It knows whether the store
 * accepts writes, and reports each stored write.
 */
export class HostStore {
  readonly store: Store;
  readonly #opened: Store;
  readonly #now: () => number;
  #listener: StoreListener | undefined;
  #failure: StoreError | undefined;
  #probing: Promise<void> | undefined;

  constructor(opened: Store, now: () => number) {
    this.#opened = opened;
    this.#now = now;
    const methods = [...reads, ...writes].map((name) => {
      const method = opened[name].bind(opened) as Method;
      return [name, (...given: unknown[]) => this.#call(name, method, given)] as const;
    });
    this.store = overriding(opened, Object.fromEntries(methods));
  }

  /** Sets who gets the writes and failures. */
  listen(listener: StoreListener): void {
    this.#listener = listener;
  }

  /**
   * Fulfils when the last write succeeded, or if a small record can be written now.
   *
   * @throws StoreError
   */
  async requireWritable(): Promise<void> {
    if (this.#failure === undefined) return;
    // Concurrent callers share one probe record.
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    await this.#probing;
  }

  async #probe(): Promise<void> {
    await this.store.delete(probeId);
    await writeHostRecord(this.store, probeId, this.#now(), {});
    await this.store.delete(probeId);
  }

  async #call(name: MethodName, method: Method, given: unknown[]): Promise<unknown> {
    try {
      this.#opened.ownership.lost.throwIfAborted();
      const answer = await method(...given);
      if (proofs.includes(name)) this.#failure = undefined;
      if (answer && noted.includes(name))
        this.#listener?.onStored(given[0] as NotedWrite, answer as Committed);
      return answer;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === 'store/closed') throw hostStopped();
      if ((writes as readonly MethodName[]).includes(name)) this.#noteFailure(error);
      throw error;
    }
  }

  #noteFailure(error: StoreError): void {
    if (ofStore.includes(error.code)) this.#failure = error;
    if (untilReopened.includes(error.code)) this.#listener?.onError(error, 'writing to the store');
  }
}

type Method = (...given: unknown[]) => Promise<unknown>;
