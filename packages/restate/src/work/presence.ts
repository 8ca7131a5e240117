import { isRecord, type Json } from '@dramaturg/compiler';
import type { Store } from '@dramaturg/host';
import {
  type Activity,
  aliveId,
  type Library,
  mayResetTimers,
  type OnError,
  readPages,
  refOf,
  type Schedule,
  unlessErased,
  writeHostRecord,
} from '@dramaturg/host/engine';

/** A time without any process, in milliseconds since 1970 UTC. */
export interface Absence {
  readonly from: number;
  readonly until: number;
}

export interface PresenceOptions {
  /** Reads the snapshot of the record without calling a handler. */
  readonly stored: () => Promise<unknown>;
  readonly store: Store;
  /** Undefined until it is built, because it reports its charts to `want`. */
  readonly library: () => Library;
  readonly schedule: Schedule;
  readonly activity: Activity;
  /** Notifies an instance of the time since which no process was present. */
  readonly notify: (instance: string, stoppedAt: number) => Promise<unknown>;
  readonly onError: OnError;
}

/** The interval at which a present process updates the record, in milliseconds. */
const beatMs = 1_000;

/** A record older than this, in milliseconds, means that its process has crashed. */
const crashedAfterMs = 3 * beatMs;

/**
 * Owns the record of when a process was last present, for lifecycles whose timers pause while there is none. The processes of a
 * namespace share it. It is written only if a lifecycle needs it. States: idle → wanted → present → left.
 */
export class Presence {
  readonly #options: PresenceOptions;
  #isWanted = false;
  #hasBegun = false;
  #isFirst = false;
  #absence: Absence | undefined;
  #isPresent = false;
  #cancelBeat = () => {};
  #writing: Promise<void> = Promise.resolve();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Notes that a lifecycle needs the record. A lifecycle added while the process is present has no instances to notify. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (this.#hasBegun) this.#enter();
  }

  /** The last known period without any process. */
  get absence(): Absence | undefined {
    return this.#absence;
  }

  /** Finds out whether a process is present. Must be called before the handlers are served, because timers may fire after that. */
  async learn(): Promise<void> {
    const { stored, schedule } = this.#options;
    const record = await stored();
    if (!isRecord(record) || typeof record['at'] !== 'number') return;
    const { at, left, absence } = record;
    const until = schedule.now;
    this.#isFirst = left === true || until - at > crashedAfterMs;
    if (this.#isFirst) this.#absence = { from: at, until };
    else if (isRecord(absence)) this.#absence = absence as unknown as Absence;
  }

  /** Notifies instances in the background when no process was present before this one. */
  begin(): void {
    const { activity, onError } = this.#options;
    void activity
      .during(() => this.#begin())
      .catch((error: unknown) => onError(error, 'notifying instances of the restart'));
  }

  async end(): Promise<void> {
    this.#cancelBeat();
    if (this.#isPresent) this.#write(true);
    this.#isPresent = false;
    await this.#writing;
  }

  async #begin(): Promise<void> {
    const { schedule } = this.#options;
    const begunAt = schedule.now;
    await this.#loadDefinitions();
    this.#hasBegun = true;
    if (!this.#isWanted) return;
    this.#enter();
    if (this.#isFirst && this.#absence) await this.#notifyAll(this.#absence.from, begunAt);
  }

  /** Loads the versions that instances are pinned to, to find out whether their lifecycles need the record. */
  async #loadDefinitions(): Promise<void> {
    const { store, onError } = this.#options;
    const library = this.#options.library();
    const alive = { kind: 'instance', ended: false };
    if ((await store.list(alive, { limit: 1 })).items.length === 0) return;
    for await (const records of readPages((page) => store.list({ kind: 'definition' }, page))) {
      for (const { id } of records) {
        const definition = refOf(id);
        try {
          if ((await store.list({ ...alive, definition }, { limit: 1 })).items.length === 0)
            continue;
          await library.lifecycleOf(definition);
        } catch (error) {
          onError(error, `reading the definition ${JSON.stringify(definition.name)}`);
        }
      }
    }
  }

  async #notifyAll(stoppedAt: number, begunAt: number): Promise<void> {
    const { store, library, notify, onError } = this.#options;
    const alive = { kind: 'instance', ended: false };
    for await (const records of readPages((page) => store.list(alive, page))) {
      for (const record of records) {
        if (record.createdAt >= begunAt || !(await mayResetTimers(record, library()))) continue;
        await unlessErased(notify(record.id, stoppedAt)).catch((error: unknown) =>
          onError(error, `notifying the instance ${JSON.stringify(record.id)} of the restart`),
        );
      }
    }
  }

  #enter(): void {
    if (this.#isPresent) return;
    this.#isPresent = true;
    this.#beat();
  }

  #beat(): void {
    this.#write(false);
    this.#cancelBeat = this.#options.schedule.after(beatMs, () => this.#beat());
  }

  #write(left: boolean): void {
    const { store, schedule, onError } = this.#options;
    const absence = this.#absence;
    const snapshot: Json = {
      at: schedule.now,
      ...(left && { left }),
      ...(absence && { absence: { ...absence } }),
    };
    const write = async () => {
      const record = await store.read(aliveId);
      await writeHostRecord(store, aliveId, schedule.now, snapshot, record?.revision);
    };
    this.#writing = this.#writing.then(write).catch((error: unknown) => {
      // A conflict means that another process has just written it.
      if (!isConflict(error)) onError(error, 'writing that the process is present');
    });
  }
}

function isConflict(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'store/conflict' || code === 'store/exists';
}
