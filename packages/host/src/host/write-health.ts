import type { Store } from '../store/contract.ts';
import { overriding } from '../store/overriding.ts';
import { StoreError, type StoreErrorCode } from '../store/errors.ts';
import type { OnError } from './error-reporter.ts';
import { probeId } from './record-ids.ts';

const writes = ['create', 'commit', 'acknowledge', 'delete', 'compact'] as const;

/** After these errors, the store may refuse every write until it is reopened. */
const untilReopened: readonly StoreErrorCode[] = ['store/failed', 'store/lost'];

/** Errors that other writes have as well. */
const ofStore: readonly StoreErrorCode[] = [...untilReopened, 'store/full', 'store/read-only'];

/**
 * Knows whether a store accepts writes. Reports failures after which it has to be reopened: the caller of a write gets the error
 * too, but only the person who runs the host can reopen the store.
 */
export class WriteHealth {
  /** The store, with its writes observed. */
  readonly store: Store;
  readonly #now: () => number;
  #failure: StoreError | undefined;
  #probing: Promise<void> | undefined;

  constructor(store: Store, now: () => number, onError: OnError) {
    this.#now = now;
    const looked = writes.flatMap((name) => {
      const write = store[name]?.bind(store) as Write | undefined;
      return write ? [[name, this.#lookedAt(name, write, onError)] as const] : [];
    });
    this.store = overriding(store, Object.fromEntries(looked));
  }

  /**
   * Fulfils when the last write succeeded, or if a small record can be written now.
   *
   * @throws StoreError
   */
  async check(): Promise<void> {
    if (this.#failure === undefined) return;
    // Concurrent callers share one probe record.
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined;
    });
    await this.#probing;
  }

  async #probe(): Promise<void> {
    await this.store.delete(probeId);
    const createdAt = this.#now();
    await this.store.create({
      id: probeId,
      kind: 'host',
      status: 'probe',
      createdAt,
      snapshot: {},
    });
    await this.store.delete(probeId);
  }

  #lookedAt(name: (typeof writes)[number], write: Write, onError: OnError): Write {
    // Other operations may succeed without writing.
    const isProof = name === 'create' || name === 'commit';
    return (...given) => {
      const written = write(...given);
      written.then(
        () => {
          if (isProof) this.#failure = undefined;
        },
        (error: unknown) => {
          if (!(error instanceof StoreError)) return;
          if (ofStore.includes(error.code)) this.#failure = error;
          if (untilReopened.includes(error.code)) onError(error, 'writing to the store');
        },
      );
      return written;
    };
  }
}

type Write = (...given: unknown[]) => Promise<unknown>;
