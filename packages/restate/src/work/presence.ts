import { isRecord, type Json, type lifecycle } from '@dramaturg/compiler';
import type { RecordSummary, Store } from '@dramaturg/host';
import {
  type Activity,
  aliveId,
  isUnknownInstance,
  type Library,
  type OnError,
  readPages,
  refOf,
  resetsTimers,
  type Schedule,
} from '@dramaturg/host/engine';

export interface PresenceOptions {
  readonly store: Store;
  /** Undefined until it is built: it reports its charts to `want`. */
  readonly library: () => Library;
  readonly schedule: Schedule;
  readonly activity: Activity;
  /** Sends an event of the host to an instance. */
  readonly notify: (instance: string, event: lifecycle.LifecycleEvent) => Promise<unknown>;
  readonly onError: OnError;
}

/** While a process is present, the record says so that often, in milliseconds. */
const beatMs = 1_000;

/** An older record means that its process has crashed. */
const crashedAfterMs = 3 * beatMs;

/**
 * Owns the record of when a process was last present, for lifecycles whose timers pause while there is none. The processes of
 * a namespace share it. It is written only if some lifecycle needs it. States: idle → wanted → present → left.
 */
export class Presence {
  readonly #options: PresenceOptions;
  #isWanted = false;
  #hasBegun = false;
  #isPresent = false;
  #cancelBeat = () => {};
  #writing: Promise<void> = Promise.resolve();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** A lifecycle needs the record. One that is added while the process is present has no instances to notify. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (this.#hasBegun) this.#enter();
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
    const { schedule, store } = this.#options;
    const begunAt = schedule.now;
    await this.#loadDefinitions();
    this.#hasBegun = true;
    if (!this.#isWanted) return;
    const snapshot = (await store.read(aliveId))?.snapshot;
    this.#enter();
    const at = isRecord(snapshot) ? snapshot['at'] : undefined;
    if (typeof at !== 'number') return;
    const wasAlone = isRecord(snapshot) && snapshot['left'] === true;
    if (wasAlone || begunAt - at > crashedAfterMs) await this.#notifyAll(at, begunAt);
  }

  /** Loads the versions that instances are pinned to: their lifecycles say whether the record is needed. */
  async #loadDefinitions(): Promise<void> {
    const { store, onError } = this.#options;
    const library = this.#options.library();
    for await (const records of readPages((page) => store.list({ kind: 'definition' }, page))) {
      for (const { id } of records) {
        const definition = refOf(id);
        const alive = { kind: 'instance', definition, ended: false };
        try {
          if ((await store.list(alive, { limit: 1 })).items.length === 0) continue;
          const { lifecycle } = await library.load(definition);
          if (lifecycle) await library.load(lifecycle);
        } catch (error) {
          onError(error, `reading the definition ${JSON.stringify(definition.name)}`);
        }
      }
    }
  }

  async #notifyAll(stopped_at: number, begunAt: number): Promise<void> {
    const { store, notify, onError } = this.#options;
    const event = { type: 'instance.recovered', stopped_at } satisfies lifecycle.LifecycleEvent;
    const alive = { kind: 'instance', ended: false };
    for await (const records of readPages((page) => store.list(alive, page))) {
      for (const record of records) {
        if (record.createdAt >= begunAt || !(await this.#resetsTimers(record))) continue;
        try {
          await notify(record.id, event);
        } catch (error) {
          if (!isUnknownInstance(error))
            onError(error, `notifying the instance ${JSON.stringify(record.id)} of the restart`);
        }
      }
    }
  }

  async #resetsTimers({ definition: ref, timers }: RecordSummary): Promise<boolean> {
    if (!ref || !timers.some(({ key }) => key.startsWith('lifecycle:'))) return false;
    const library = this.#options.library();
    const definition = await library.load(ref);
    const { chart } = definition.lifecycle ? await library.load(definition.lifecycle) : definition;
    return resetsTimers(chart);
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
    const snapshot: Json = { at: schedule.now, ...(left && { left }) };
    const write = async () => {
      const record = await store.read(aliveId);
      if (record) await store.commit({ id: aliveId, expectedRevision: record.revision, snapshot });
      else
        await store.create({
          id: aliveId,
          kind: 'host',
          status: 'alive',
          createdAt: schedule.now,
          snapshot,
        });
    };
    this.#writing = this.#writing.then(write).catch((error: unknown) => {
      // Another process has written it just now.
      if (!isConflict(error)) onError(error, 'writing that the process is present');
    });
  }
}

function isConflict(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'store/conflict' || code === 'store/exists';
}
