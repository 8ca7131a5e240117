import { type Chart, isRecord } from '@dramaturg/compiler';
import type { Schedule } from '../admission/schedule.ts';
import type { Library } from '../definitions/library.ts';
import type { RecordSummary, Store, StoreRecord } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import type { OnError } from './error-reporter.ts';
import { aliveId, writeHostRecord } from './record-ids.ts';

/** The interval of heartbeats: after a crash, the stored time is at most this much too early. */
const heartbeatMs = 1_000;

/**
 * Owns the record of when a host was last alive on this store, for lifecycles whose timers pause while no host runs. The
 * record is written only if some lifecycle needs it. States: idle → wanted → beating (`#cancelBeat`) → ended.
 */
export class LastAlive {
  readonly #store: Store;
  readonly #schedule: Schedule;
  readonly #onError: OnError;
  #revision = 0;
  #isWanted = false;
  #hasBegun = false;
  #cancelBeat: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store, schedule: Schedule, onError: OnError) {
    this.#store = store;
    this.#schedule = schedule;
    this.#onError = onError;
  }

  /** Begins the heartbeat, because a lifecycle needs it. A lifecycle that is added later has no instances to recover. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (!this.#hasBegun) return;
    this.#writing = this.#start().then(
      () => {},
      (error: unknown) => this.#onError(error, 'writing the heartbeat of the host'),
    );
  }

  /**
   * @returns when the last host was alive, milliseconds since 1970 UTC; undefined for the first host, if no lifecycle needs
   *   it, and if the record is damaged. Timers then keep their deadlines.
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
    this.#beatLater();
    return typeof at === 'number' ? at : undefined;
  }

  async end(): Promise<void> {
    // `want` may still be starting it.
    await this.#writing;
    if (this.#cancelBeat === undefined) return;
    this.#cancelBeat();
    this.#beat();
    await this.#writing;
  }

  #beatLater(): void {
    this.#cancelBeat = this.#schedule.after(heartbeatMs, () => {
      this.#beat();
      this.#beatLater();
    });
  }

  #beat(): void {
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error: unknown) => this.#onError(error, 'writing the heartbeat of the host'));
  }

  async #write(): Promise<void> {
    const { now } = this.#schedule;
    const revision = this.#revision;
    this.#revision = await writeHostRecord(this.#store, aliveId, now, { at: now }, revision);
  }
}

/**
 * Whether an instance may have timers that a restart resets. Only timers of the lifecycle can be reset: an unfinished turn
 * resumes, and loses no time.
 */
export async function mayResetTimers(
  { definition, timers }: Pick<RecordSummary, 'definition' | 'timers'>,
  library: Library,
): Promise<boolean> {
  if (!definition || !timers.some(({ key }) => key.startsWith('lifecycle:'))) return false;
  return resetsTimers((await library.lifecycleOf(definition)).chart);
}

/** Whether a lifecycle resets its timers after a restart. All others keep their deadlines. */
export function resetsTimers({ meta }: Pick<Chart, 'meta'>): boolean {
  return (meta?.['restart_timer'] ?? 'deadline') !== 'deadline';
}
