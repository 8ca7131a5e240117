import { type Chart, isRecord } from '@dramaturg/compiler';
import type { Store, StoreRecord } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { aliveId } from './record-ids.ts';

/** Milliseconds between two signs of life: a crash makes them out to have been alive that much shorter. */
const beat = 1_000;

/**
 * When a host was last alive on a store, for lifecycles whose timers stand still while nobody is there. A deadline needs
 * none of this, so it is only kept where some lifecycle asks for it.
 */
export class LastAlive {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #onError: (error: unknown, doing: string) => void;
  #revision = 0;
  #isWanted = false;
  #hasBegun = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, now: () => number, onError: (error: unknown, doing: string) => void) {
    this.#store = store;
    this.#now = now;
    this.#onError = onError;
  }

  /** A lifecycle asks for it. One that comes while the host runs has no instances that were there before. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (!this.#hasBegun) return;
    this.#writing = this.#start().then(
      () => {},
      (error: unknown) => this.#onError(error, 'writing a sign of life'),
    );
  }

  /**
   * @returns when the host before this one was last alive, milliseconds since 1970 UTC; undefined for the first, where no
   *   lifecycle asks, and where the record of it is damaged: until somebody has mended it timers keep to their deadline
   */
  async begin(): Promise<number | undefined> {
    this.#hasBegun = true;
    return this.#isWanted ? this.#start() : undefined;
  }

  async #start(): Promise<number | undefined> {
    let record: StoreRecord | undefined;
    try {
      record = await this.#store.read(aliveId);
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'store/damaged')) throw error;
      this.#onError(error, 'reading when a host was last alive');
      return undefined;
    }
    this.#revision = record?.revision ?? 0;
    const held = record?.snapshot;
    const at = isRecord(held) ? held['at'] : undefined;
    await this.#write();
    this.#timer = setInterval(() => this.#beat(), beat).unref();
    return typeof at === 'number' ? at : undefined;
  }

  async end(): Promise<void> {
    // It may just have begun.
    await this.#writing;
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#beat();
    await this.#writing;
  }

  #beat(): void {
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error: unknown) => this.#onError(error, 'writing a sign of life'));
  }

  async #write(): Promise<void> {
    const snapshot = { at: this.#now() };
    const { revision } =
      this.#revision === 0
        ? await this.#store.create({
            id: aliveId,
            kind: 'host',
            status: 'alive',
            createdAt: this.#now(),
            snapshot,
          })
        : await this.#store.commit({ id: aliveId, expectedRevision: this.#revision, snapshot });
    this.#revision = revision;
  }
}

/** Whether the timers of a lifecycle are set anew after a restart: all others keep to their deadline. */
export function setsTimersAnew({ meta }: Pick<Chart, 'meta'>): boolean {
  return (meta?.['restart_timer'] ?? 'deadline') !== 'deadline';
}
