import type { Schedule } from '../admission/schedule.ts';
import { hostStopped, instanceSetAside } from '../errors.ts';
import { continuation } from '../instance/letter.ts';
import type { Store, StoreRecord } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import type { OnError } from './error-reporter.ts';
import { decidingId, writeHostRecord } from './record-ids.ts';

export interface QuarantineOptions {
  readonly store: Store;
  readonly schedule: Schedule;
  readonly onError: OnError;
}

/** An instance that the last host was deciding when it died. */
type Suspect = {
  /** The revision of its record when it was noted. A suspect that was written since is innocent. */
  readonly revision: number;
  /** How many hosts in a row have died while they decided only this instance. */
  readonly deaths: number;
};

/** The snapshot of the record: revisions and suspects, by the ids of instances. */
type Noted = {
  readonly deciding: Readonly<Record<string, number>>;
  readonly suspects: Readonly<Record<string, Suspect>>;
};

interface Waiting {
  readonly id: string;
  readonly revision: number;
  readonly enter: (leave: Leave) => void;
  readonly reject: (error: unknown) => void;
}

/** Called when the decision has ended. @param revision of the record now */
export type Leave = (revision: number) => void;

/** The number of deaths after which an instance is set aside. */
const deathsMax = 2;

/** How long all other instances go before suspects, in milliseconds. */
const othersFirstMs = 3_000;

/**
 * Finds an instance whose decision crashes or blocks the process, and sets it aside, so that it does not block the whole store.
 *
 * After a start, the id of each instance that recovery resumes is stored before its first decision, many ids in one write.
 * Nothing is stored for any other step. Instances that a host was deciding when it died are suspects: the next host decides each
 * of them alone, after the others. A suspect is set aside when two hosts in a row have died while deciding it. A host that stops
 * normally leaves no suspects.
 */
export class Quarantine {
  readonly #options: QuarantineOptions;
  #revision = 0;
  /** Instances whose next decision is noted. */
  readonly #watched = new Set<string>();
  /** Instances that were set aside and are tried again: each of their decisions is noted. */
  readonly #retried = new Set<string>();
  readonly #suspects = new Map<string, Suspect>();
  /** The instances that are being decided, with their revisions. */
  readonly #deciding = new Map<string, number>();
  #waiting: Waiting[] = [];
  #noting: Promise<void> | undefined;
  #hasChanged = false;
  #mayDecideSuspects = false;
  #isStopped = false;
  /** Whether loaded instances are watched. */
  isRecovering = false;

  constructor(options: QuarantineOptions) {
    this.#options = options;
  }

  /** Reads which instances the last host was deciding, and sets aside those that have ended two hosts. */
  async begin(): Promise<void> {
    const { schedule } = this.#options;
    this.isRecovering = true;
    const { deciding, suspects } = await this.#read();
    const unwritten: StoreRecord[] = [];
    for (const [id, revision] of Object.entries({ ...revisionsOf(suspects), ...deciding })) {
      const record = await this.#unlessDamaged(id);
      if (record && !record.ended && record.revision === revision) unwritten.push(record);
    }
    const isNoted = ({ id }: StoreRecord) => Object.hasOwn(deciding, id);
    const isAlone = unwritten.filter(isNoted).length === 1;
    for (const record of unwritten) {
      const { id, revision } = record;
      const deaths = (suspects[id]?.deaths ?? 0) + (isAlone && isNoted(record) ? 1 : 0);
      if (deaths >= deathsMax && (await this.#setAside(record))) continue;
      this.#suspects.set(id, { revision, deaths });
    }
    if (this.#suspects.size === 0) return;
    schedule.after(othersFirstMs, () => {
      this.#mayDecideSuspects = true;
      this.#note();
    });
  }

  /** Notes the next decision about the instance. */
  watch(id: string): void {
    this.#watched.add(id);
  }

  /** Tries an instance again that was set aside. One more death sets it aside again. */
  retry(id: string, revision: number): void {
    this.#retried.add(id);
    this.#suspects.set(id, { revision, deaths: deathsMax - 1 });
    this.#mayDecideSuspects = true;
  }

  /** Forgets an erased instance: the next note does not have its id. */
  erased(id: string): void {
    for (const ids of [this.#watched, this.#retried, this.#suspects]) ids.delete(id);
  }

  /** Replaces the note, which may have ids of erased instances. */
  async renew(): Promise<void> {
    if (this.#revision === 0) return;
    this.#hasChanged = true;
    this.#note();
    await this.#noting;
  }

  /** @returns undefined when the decision needs no note; otherwise fulfils when it is noted */
  enter(id: string, revision: number): Promise<Leave> | undefined {
    const isNoted = this.#watched.has(id) || this.#suspects.has(id);
    if (!isNoted || this.#deciding.has(id)) return undefined;
    return new Promise((enter, reject) => {
      if (this.#isStopped && this.#suspects.has(id)) return reject(hostStopped());
      this.#waiting.push({ id, revision, enter, reject });
      this.#note();
    });
  }

  /** Leaves suspects to the next host. All other waiting instances are decided. */
  stop(): void {
    this.#isStopped = true;
    const left = this.#waiting.filter(({ id }) => this.#suspects.has(id));
    this.#waiting = this.#waiting.filter((each) => !left.includes(each));
    for (const { reject } of left) reject(hostStopped());
  }

  /** Removes the note after the last decision: the host did not die. */
  async end(): Promise<void> {
    await this.#noting;
    this.#suspects.clear();
    this.#deciding.clear();
    while (this.#revision !== 0) {
      // A decision during the removal makes a new note.
      this.#revision = 0;
      await this.#options.store.delete(decidingId);
      await this.#noting;
    }
  }

  /** Stores which instances are decided next, and lets them begin. */
  #note(): void {
    this.#noting ??= this.#noteAll();
  }

  async #noteAll(): Promise<void> {
    // Instances that wait in the same turn share a write.
    await Promise.resolve();
    for (
      let next = this.#takeNext();
      next.length > 0 || this.#hasChanged;
      next = this.#takeNext()
    ) {
      for (const { id, revision } of next) this.#deciding.set(id, revision);
      this.#hasChanged = false;
      try {
        await this.#write();
      } catch (error) {
        for (const { id, reject } of next) {
          this.#deciding.delete(id);
          reject(error);
        }
        if (next.length === 0) this.#options.onError(error, 'noting what is decided');
        continue;
      }
      for (const { id, enter } of next) enter((revision) => this.#leave(id, revision));
    }
    this.#noting = undefined;
  }

  /** All waiting instances. A suspect comes when nothing else waits, and is decided alone. */
  #takeNext(): readonly Waiting[] {
    const isSuspect = ({ id }: Pick<Waiting, 'id'>) => this.#suspects.has(id);
    if ([...this.#deciding.keys()].some((id) => isSuspect({ id }))) return [];
    const others = this.#waiting.filter((each) => !isSuspect(each));
    const [suspect] = this.#waiting;
    const next =
      others.length > 0 || !suspect || !this.#mayDecideSuspects || this.#deciding.size > 0
        ? others
        : [suspect];
    this.#waiting = this.#waiting.filter((each) => !next.includes(each));
    return next;
  }

  #leave(id: string, revision: number): void {
    // An instance that was written since it was noted is not suspected. Without such a write, the note has to change.
    this.#hasChanged ||= this.#deciding.get(id) === revision;
    this.#deciding.delete(id);
    if (!this.#retried.has(id)) {
      this.#watched.delete(id);
      this.#suspects.delete(id);
    }
    if (this.#waiting.length > 0 || this.#hasChanged) this.#note();
  }

  /** @returns false while the store cannot be written: then it stays a suspect, and can be neither noted nor decided */
  async #setAside({ id, revision, attention, outbox }: StoreRecord): Promise<boolean> {
    const { store, schedule, onError } = this.#options;
    const letters = outbox.some((letter) => letter.id === continuation)
      ? []
      : [{ id: continuation, body: { kind: continuation } }];
    const change = {
      id,
      expectedRevision: revision,
      updatedAt: schedule.now,
      attention: { since: schedule.now, ...attention, queue: setAside },
      // The next step sets them again.
      timers: [],
      effects: letters,
    };
    try {
      await store.commit(change);
    } catch (error) {
      onError(error, `setting the instance ${JSON.stringify(id)} aside`);
      return false;
    }
    onError(instanceSetAside(id), 'resuming the work of the last host');
    return true;
  }

  async #read(): Promise<Noted> {
    const record = await this.#unlessDamaged(decidingId);
    if (!record) return { deciding: {}, suspects: {} };
    this.#revision = record.revision;
    return record.snapshot as unknown as Noted;
  }

  async #unlessDamaged(id: string): Promise<StoreRecord | undefined> {
    const { store, onError } = this.#options;
    try {
      return await store.read(id);
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'store/damaged')) throw error;
      onError(error, 'reading what the last host was deciding');
      if (id === decidingId) await store.delete(id);
      return undefined;
    }
  }

  async #write(): Promise<void> {
    const { store, schedule } = this.#options;
    const snapshot = {
      deciding: Object.fromEntries(this.#deciding),
      suspects: Object.fromEntries(this.#suspects),
    } satisfies Noted;
    const revision = this.#revision;
    this.#revision = await writeHostRecord(store, decidingId, schedule.now, snapshot, revision);
  }
}

/** Removes the ids of instances that do not exist any more, while no host runs. */
export async function forgetErased(store: Store): Promise<void> {
  try {
    const record = await store.read(decidingId);
    if (!record) return;
    const { deciding, suspects } = record.snapshot as unknown as Noted;
    const existing = async <Value>(noted: Readonly<Record<string, Value>>) => {
      const kept: Record<string, Value> = {};
      for (const [id, value] of Object.entries(noted)) if (await store.read(id)) kept[id] = value;
      return kept;
    };
    const snapshot = { deciding: await existing(deciding), suspects: await existing(suspects) };
    await store.commit({ id: decidingId, expectedRevision: record.revision, snapshot });
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'store/damaged')) throw error;
    // Without the note, no instance is suspected.
    await store.delete(decidingId);
  }
}

/** The queue of the instances that are set aside. */
export const setAside = 'setAside';

function revisionsOf(suspects: Noted['suspects']): Noted['deciding'] {
  return Object.fromEntries(Object.entries(suspects).map(([id, { revision }]) => [id, revision]));
}
