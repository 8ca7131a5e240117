import { LiveInstance } from '../instance/live-instance.ts';
import {
  definitionsOf,
  type LoadedDefinitions,
  type Surroundings,
} from '../instance/surroundings.ts';
import type { Library } from '../definitions/library.ts';
import { badRequest, HostError, unknownInstance } from '../errors.ts';
import type { Committed, Store, StoreRecord } from '../store/contract.ts';
import { isIncompleteFork } from './fork-record.ts';
import { Runner, type RunnerListeners } from './runner.ts';
import type { RunnerServices } from './runner-services.ts';
import { stateOf } from '../instance/snapshot-parts.ts';

/** An instance that is active, or being loaded. */
interface Entry {
  readonly runner: Promise<Runner>;
  /** The runner, after it is loaded. */
  active?: Runner;
  /** How many calls of `use` are running. */
  users: number;
}

/** A stored instance. */
export interface LoadedInstance extends Pick<Committed, 'revision' | 'journalLength'> {
  readonly instance: LiveInstance;
}

export interface ActiveInstancesOptions {
  readonly store: Store;
  readonly library: Library;
  readonly surroundings: Surroundings;
  readonly services: RunnerServices;
  /** How many idle instances stay active. */
  readonly maxActive: number;
  readonly onCommit: RunnerListeners['onCommit'];
  /** The instance could not continue, and was evicted. */
  readonly onBroken: (id: string, error: unknown) => void;
}

/**
 * Owns the instances in memory, at most one runner for each. All other instances are only records in the store.
 *
 * States of an instance: stored (no entry) → loading (`runner` is pending) → in use (`users` > 0 or its runner works) → idle (in
 * `#idle`) → in use again, or evicted when more than `maxActive` are idle. An idle instance that has ended, and a broken one, are
 * evicted immediately.
 */
export class ActiveInstances {
  readonly #options: ActiveInstancesOptions;
  readonly #listeners: RunnerListeners;
  readonly #entries = new Map<string, Entry>();
  /** Ids of idle instances, least recently used first. */
  readonly #idle = new Set<string>();
  /** Instances that are being stored for the first time. */
  readonly #creations = new Set<Promise<Runner>>();
  /** The active instances that hold a contact, by contact. */
  readonly #holders = new Map<string, Runner>();

  constructor(options: ActiveInstancesOptions) {
    this.#options = options;
    this.#listeners = {
      onCommit: (runner, stored) => {
        this.#noteHolder(runner);
        options.onCommit(runner, stored);
      },
      onIdle: ({ instance }) => this.#rest(instance.id),
      onBroken: (runner, error) => {
        const { id } = runner.instance;
        // A withdrawn runner has been replaced, so its errors do not matter.
        if (this.#entries.get(id)?.active !== runner) return;
        this.#evict(id);
        options.onBroken(id, error);
      },
    };
  }

  /** How many are active. */
  get size(): number {
    return this.#entries.size;
  }

  /** How many items of lists they run. */
  get items(): number {
    let count = 0;
    for (const { active } of this.#entries.values()) count += active?.instance.items ?? 0;
    return count;
  }

  /** Loads an instance unless it is active, and keeps it active during the work. */
  async use<Value>(id: string, work: (runner: Runner) => Promise<Value> | Value): Promise<Value> {
    const entry = this.#entryOf(id);
    const { activity } = this.#options.services;
    entry.users += 1;
    this.#idle.delete(id);
    activity.begin();
    try {
      return await work(await entry.runner);
    } finally {
      entry.users -= 1;
      activity.end();
      this.#rest(id);
    }
  }

  /** The runner of an active instance. */
  peek(id: string): Runner | undefined {
    return this.#entries.get(id)?.active;
  }

  /** The id of the active instance that holds a contact. Undefined when no active instance holds it. */
  holder(contact: string): string | undefined {
    return this.#holders.get(contact)?.instance.id;
  }

  /**
   * Adds an instance that is being created. Concurrent calls of `use` wait for it, so that it is not loaded twice.
   *
   * @param create stores the instance
   */
  async add(id: string, create: () => Promise<LoadedInstance>): Promise<Runner> {
    const created = async () => {
      const { instance, ...stored } = await create();
      return new Runner(instance, stored, this.#options.services, this.#listeners);
    };
    // Callers may have asked for the instance before it was created.
    await this.#entries.get(id)?.runner.catch(() => {});
    // If the instance exists already, `create` rejects.
    if (this.#entries.has(id)) await create();
    else {
      const creation = created();
      const entry = this.#addEntry(
        id,
        creation.catch((error: unknown) => {
          // A repeated start is refused. Callers of `use` that wait for it get the existing instance.
          if (entry.users > 0 && isTaken(error)) return this.#load(id);
          // Later callers load it.
          if (this.#entries.get(id) === entry) this.#entries.delete(id);
          throw error;
        }),
      );
      this.#noteCreation(entry.runner);
      await creation;
    }
    return this.use(id, (runner) => {
      runner.start();
      return runner;
    });
  }

  /** Fulfils when every instance that is being stored for the first time is stored, or was refused. */
  async whenCreated(): Promise<void> {
    await Promise.allSettled(this.#creations);
  }

  /**
   * Takes an instance out of memory: its calls are aborted, and nothing more of it is stored. A caller that uses it waits for
   * `end`, and then loads it from the store.
   */
  async withdraw(id: string, end: Promise<void>): Promise<void> {
    const entry = this.#entries.get(id);
    const runner = await entry?.runner.catch(() => undefined);
    if (runner && this.#entries.get(id) === entry) {
      this.#evict(id);
      const { contact } = runner.instance;
      if (contact !== undefined && this.#holders.get(contact) === runner)
        this.#holders.delete(contact);
    }
    this.#addEntry(
      id,
      end.then(() => this.#load(id)),
    );
    runner?.halt({ texts: 'withdraw' });
    await runner?.settled;
  }

  /** The runners of all active instances. */
  async all(): Promise<Runner[]> {
    const runners = await Promise.allSettled(
      [...this.#entries.values()].map(({ runner }) => runner),
    );
    return runners.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  #noteCreation(creation: Promise<Runner>): void {
    this.#creations.add(creation);
    const forget = () => this.#creations.delete(creation);
    creation.then(forget, forget);
  }

  #entryOf(id: string): Entry {
    return this.#entries.get(id) ?? this.#addEntry(id, this.#load(id));
  }

  #addEntry(id: string, runner: Promise<Runner>): Entry {
    const entry: Entry = { runner, users: 0 };
    this.#entries.set(id, entry);
    runner.then(
      (active) => {
        entry.active = active;
        this.#noteHolder(active);
      },
      () => {
        if (this.#entries.get(id) === entry) this.#entries.delete(id);
      },
    );
    return entry;
  }

  /** Loads an instance from the store, without making it active. */
  async loadStored(id: string): Promise<LoadedInstance> {
    const record = await this.#options.store.read(id);
    if (!record || record.kind !== 'instance') throw unknownInstance(id);
    if (isIncompleteFork(record)) throw stillForking(id);
    const definitions = await this.#definitionsOf(record);
    const { monitor } = this.#options.services;
    const of = { id, definition: record.definition! };
    const instance = monitor.measure(of, 'be loaded', () =>
      restored(record, definitions, this.#options.surroundings),
    );
    const { revision, journalLength } = record;
    return { instance, revision, journalLength };
  }

  async #load(id: string): Promise<Runner> {
    const { quarantine } = this.#options.services;
    if (quarantine.isRecovering) quarantine.watch(id);
    const { instance, ...stored } = await this.loadStored(id);
    const runner = new Runner(instance, stored, this.#options.services, this.#listeners);
    runner.start();
    return runner;
  }

  #definitionsOf(record: StoreRecord): Promise<LoadedDefinitions> {
    if (!record.definition || !stateOf(record).lifecycle?.definition)
      throw damaged(record.id, 'It does not name its definition.');
    return definitionsOf(record, this.#options.library);
  }

  #rest(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.users > 0) return;
    const { active } = entry;
    // An instance that is being loaded becomes idle after its first use.
    if (!active?.isIdle) return;
    this.#idle.delete(id);
    // An ended instance is hardly used again.
    if (active.instance.ended) this.#evict(id);
    else this.#idle.add(id);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.#options.maxActive) break;
      this.#evict(oldest);
    }
  }

  /** Keeps track of the holder. In the store at most one instance holds a contact, besides ancestors that lend it. */
  #noteHolder(runner: Runner): void {
    const { instance, stored } = runner;
    const { contact } = instance;
    if (contact === undefined) return;
    const isCurrent = this.#entries.get(instance.id)?.active === runner;
    const mayLend = Object.keys(instance.state.children ?? {}).length > 0;
    if (stored.holds && isCurrent && !mayLend) this.#holders.set(contact, runner);
    else if (this.#holders.get(contact) === runner) this.#holders.delete(contact);
  }

  #evict(id: string): void {
    const active = this.#entries.get(id)?.active;
    this.#entries.delete(id);
    if (active) this.#noteHolder(active);
    this.#idle.delete(id);
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof HostError && error.code === 'host/exists';
}

function restored(
  record: StoreRecord,
  definitions: LoadedDefinitions,
  surroundings: Surroundings,
): LiveInstance {
  try {
    return LiveInstance.restore(record, definitions, surroundings);
  } catch (cause) {
    throw damaged(record.id, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function stillForking(id: string): HostError {
  return badRequest(
    `The instance ${JSON.stringify(id)} is a fork that is still being copied. Wait until its fork has been stored.`,
  );
}

function damaged(id: string, reason: string, cause?: unknown): HostError {
  return new HostError(
    'host/damaged',
    `The instance ${JSON.stringify(id)} cannot be restored: ${reason}`,
    cause === undefined ? {} : { cause },
  );
}
