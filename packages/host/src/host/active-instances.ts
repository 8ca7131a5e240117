import type { EventObject } from '@dramaturg/compiler';
import { LiveInstance } from '../instance/live-instance.ts';
import type { InstanceState } from '../instance/state.ts';
import type { LoadedDefinitions, Surroundings } from '../instance/surroundings.ts';
import type { Library } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import type { Store, StoreRecord } from '../store/contract.ts';
import { unknownInstance } from './instance-reader.ts';
import { Runner, type RunnerListeners } from './runner.ts';
import type { RunnerServices } from './runner-services.ts';

/** An instance that is active, or being loaded. */
interface Entry {
  readonly runner: Promise<Runner>;
  /** Once it is loaded. */
  active?: Runner;
  /** How many calls of `use` are running. */
  users: number;
}

export interface ActiveInstancesOptions {
  readonly store: Store;
  readonly library: Library;
  readonly surroundings: Surroundings;
  readonly services: RunnerServices;
  /** How many idle instances stay active. */
  readonly maxActive: number;
  readonly onCommit: RunnerListeners['onCommit'];
  /** The instance could not go on, and was evicted. */
  readonly onBroken: (id: string, error: unknown) => void;
}

/**
 * Owns the instances in memory, at most one runner for each. All other instances are only records in the store.
 *
 * States of an instance: stored (no entry) → loading (`runner` is pending) → in use (`users` > 0 or its runner works) →
 * idle (in `#idle`) → in use again, or evicted when more than `maxActive` are idle. An idle instance that has ended, and a
 * broken one, are evicted at once.
 */
export class ActiveInstances {
  readonly #options: ActiveInstancesOptions;
  readonly #listeners: RunnerListeners;
  readonly #entries = new Map<string, Entry>();
  /** Ids of idle instances, least recently used first. */
  readonly #idle = new Set<string>();
  /** The active instances that hold a contact, by contact. */
  readonly #holders = new Map<string, Runner>();

  constructor(options: ActiveInstancesOptions) {
    this.#options = options;
    this.#listeners = {
      onCommit: (runner, result) => {
        this.#noteHolder(runner);
        options.onCommit(runner, result);
      },
      onIdle: ({ instance }) => this.#rest(instance.id),
      onBroken: ({ instance }, error) => {
        this.#evict(instance.id);
        options.onBroken(instance.id, error);
      },
    };
  }

  /** How many are active. */
  get size(): number {
    return this.#entries.size;
  }

  /** Loads an instance unless it is active, and keeps it active during the work. */
  async use<Value>(id: string, work: (runner: Runner) => Promise<Value> | Value): Promise<Value> {
    const entry = this.#entryOf(id);
    entry.users += 1;
    this.#idle.delete(id);
    try {
      return await work(await entry.runner);
    } finally {
      entry.users -= 1;
      this.#rest(id);
    }
  }

  /** The runner of an active instance. */
  peek(id: string): Runner | undefined {
    return this.#entries.get(id)?.active;
  }

  /** The id of the active instance that holds a contact. Undefined when none does, or an inactive one. */
  holder(contact: string): string | undefined {
    return this.#holders.get(contact)?.instance.id;
  }

  /**
   * Adds an instance that is being created. Concurrent calls of `use` wait for it, so that it is not loaded twice.
   *
   * @param create stores the instance
   */
  async add(
    id: string,
    create: () => Promise<{ readonly instance: LiveInstance; readonly revision: number }>,
  ): Promise<Runner> {
    const created = async () => {
      const { instance, revision } = await create();
      return new Runner(instance, revision, this.#options.services, this.#listeners);
    };
    // It may have been addressed before it was created.
    await this.#entries.get(id)?.runner.catch(() => {});
    // If it exists already, `create` rejects.
    if (this.#entries.has(id)) await create();
    else this.#addEntry(id, created());
    return this.use(id, (runner) => {
      runner.start();
      return runner;
    });
  }

  /** The runners of all active instances. */
  async all(): Promise<Runner[]> {
    const runners = await Promise.allSettled(
      [...this.#entries.values()].map(({ runner }) => runner),
    );
    return runners.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
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
  async loadStored(id: string): Promise<{
    readonly instance: LiveInstance;
    readonly revision: number;
    readonly mailbox: StoreRecord['mailbox'];
  }> {
    const record = await this.#options.store.read(id);
    if (!record || record.kind !== 'instance') throw unknownInstance(id);
    const definitions = await this.#definitionsOf(record);
    const instance = restored(record, definitions, this.#options.surroundings);
    return { instance, revision: record.revision, mailbox: record.mailbox };
  }

  async #load(id: string): Promise<Runner> {
    const { instance, revision, mailbox } = await this.loadStored(id);
    const runner = new Runner(instance, revision, this.#options.services, this.#listeners);
    for (const { id: letter, body } of mailbox) {
      // The sender is gone. The outcome is in the journal.
      runner.enqueueStored(letter, body as unknown as EventObject).catch(() => {});
    }
    runner.start();
    return runner;
  }

  async #definitionsOf({ id, definition, snapshot }: StoreRecord): Promise<LoadedDefinitions> {
    const { lifecycle } = snapshot as unknown as InstanceState;
    const { library } = this.#options;
    if (!definition || !lifecycle?.definition)
      throw damaged(id, 'It does not name its definition.');
    const isOwn =
      lifecycle.definition.name === definition.name &&
      lifecycle.definition.version === definition.version;
    return {
      lifecycle: await library.load(lifecycle.definition),
      ...(isOwn ? {} : { flow: await library.load(definition) }),
    };
  }

  #rest(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry || entry.users > 0) return;
    const { active } = entry;
    // An instance that is being loaded rests after its first use.
    if (!active?.isIdle) return;
    this.#idle.delete(id);
    // An instance that has ended is hardly used again.
    if (active.instance.ended) this.#evict(id);
    else this.#idle.add(id);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.#options.maxActive) break;
      this.#evict(oldest);
    }
  }

  /** Keeps track of the holder. In the store at most one instance holds a contact. */
  #noteHolder(runner: Runner): void {
    const { instance, stored } = runner;
    const { contact } = instance;
    if (contact === undefined) return;
    const isCurrent = this.#entries.get(instance.id)?.active === runner;
    if (stored.holds && isCurrent) this.#holders.set(contact, runner);
    else if (this.#holders.get(contact) === runner) this.#holders.delete(contact);
  }

  #evict(id: string): void {
    const active = this.#entries.get(id)?.active;
    this.#entries.delete(id);
    if (active) this.#noteHolder(active);
    this.#idle.delete(id);
  }
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

function damaged(id: string, reason: string, cause?: unknown): HostError {
  return new HostError(
    'host/damaged',
    `The instance ${JSON.stringify(id)} cannot be restored: ${reason}`,
    cause === undefined ? {} : { cause },
  );
}
