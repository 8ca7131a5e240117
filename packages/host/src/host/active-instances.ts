import type { EventObject } from '@dramaturg/compiler';
import type { LoadedDefinitions, Surroundings } from '../instance/live-instance.ts';
import { LiveInstance } from '../instance/live-instance.ts';
import type { InstanceState } from '../instance/state.ts';
import type { Library } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import type { Store, StoreRecord } from '../store/contract.ts';
import { unknownInstance } from './instance-reader.ts';
import { Runner, type RunnerServices } from './runner.ts';

/** The place of an instance that is awake, or being woken. */
interface Seat {
  readonly runner: Promise<Runner>;
  /** Once it is awake. */
  awake?: Runner;
  /** How many are about to do something with it. */
  users: number;
}

export interface ActiveInstancesOptions {
  readonly store: Store;
  readonly library: Library;
  readonly surroundings: Surroundings;
  readonly services: Omit<RunnerServices, 'onIdle' | 'onBroken'>;
  /** How many idle instances stay awake. */
  readonly limit: number;
  /** The instance could not go on, and was dropped. */
  readonly onBroken: (id: string, error: unknown) => void;
}

/**
 * The instances that are awake. All others are a record in the store and nothing in memory; one is woken by whoever needs
 * it, and put away again when nothing of it is under way and others are wanted more.
 */
export class ActiveInstances {
  readonly #options: ActiveInstancesOptions;
  readonly #services: RunnerServices;
  readonly #seats = new Map<string, Seat>();
  /** Ids of those that are awake and idle, the one that was used longest ago first. */
  readonly #idle = new Set<string>();
  /** Of those that are awake, the ones that hold a contact, by contact. */
  readonly #holders = new Map<string, Runner>();

  constructor(options: ActiveInstancesOptions) {
    this.#options = options;
    this.#services = {
      ...options.services,
      onCommit: (runner, decided) => {
        this.#noteHolder(runner);
        options.services.onCommit(runner, decided);
      },
      onIdle: ({ instance }) => this.#rest(instance.id),
      onBroken: ({ instance }, error) => {
        this.#forget(instance.id);
        options.onBroken(instance.id, error);
      },
    };
  }

  /** How many are awake. */
  get size(): number {
    return this.#seats.size;
  }

  /** Does something with an instance, which stays awake meanwhile. */
  async use<Value>(id: string, work: (runner: Runner) => Promise<Value> | Value): Promise<Value> {
    const seat = this.#seatOf(id);
    seat.users += 1;
    this.#idle.delete(id);
    try {
      return await work(await seat.runner);
    } finally {
      seat.users -= 1;
      this.#rest(id);
    }
  }

  /** An instance that is awake. */
  peek(id: string): Runner | undefined {
    return this.#seats.get(id)?.awake;
  }

  /** The id of the instance that holds a contact, if it is awake: the store need not be asked. */
  holder(contact: string): string | undefined {
    return this.#holders.get(contact)?.instance.id;
  }

  /**
   * Takes in an instance that is being created. Whoever addresses it meanwhile waits for it, so that nobody wakes it a
   * second time.
   *
   * @param create stores it
   */
  async add(
    id: string,
    create: () => Promise<{ readonly instance: LiveInstance; readonly revision: number }>,
  ): Promise<Runner> {
    const created = async () => {
      const { instance, revision } = await create();
      return new Runner(instance, revision, this.#services);
    };
    // Somebody may have addressed it before it was there.
    await this.#seats.get(id)?.runner.catch(() => {});
    // Or it is there, which the store will say.
    if (this.#seats.has(id)) await create();
    else this.#seat(id, created());
    return this.use(id, (runner) => {
      runner.resume();
      return runner;
    });
  }

  /** Everyone who is awake. */
  async all(): Promise<Runner[]> {
    const runners = await Promise.allSettled([...this.#seats.values()].map(({ runner }) => runner));
    return runners.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  #seatOf(id: string): Seat {
    return this.#seats.get(id) ?? this.#seat(id, this.#wake(id));
  }

  #seat(id: string, runner: Promise<Runner>): Seat {
    const seat: Seat = { runner, users: 0 };
    this.#seats.set(id, seat);
    runner.then(
      (awake) => {
        seat.awake = awake;
        this.#noteHolder(awake);
      },
      () => {
        if (this.#seats.get(id) === seat) this.#seats.delete(id);
      },
    );
    return seat;
  }

  /** An instance as it is in the store. */
  async stored(id: string): Promise<{
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

  async #wake(id: string): Promise<Runner> {
    const { instance, revision, mailbox } = await this.stored(id);
    const runner = new Runner(instance, revision, this.#services);
    for (const { id: letter, body } of mailbox) {
      // Whoever sent it has gone; what came of it is in the journal.
      runner.take(letter, body as unknown as EventObject).catch(() => {});
    }
    runner.resume();
    return runner;
  }

  async #definitionsOf({ id, definition, snapshot }: StoreRecord): Promise<LoadedDefinitions> {
    const { lifecycle } = snapshot as unknown as InstanceState;
    const { library } = this.#options;
    if (!definition || !lifecycle?.definition) throw damaged(id, 'It names no definition.');
    const isOwn =
      lifecycle.definition.name === definition.name &&
      lifecycle.definition.version === definition.version;
    return {
      lifecycle: await library.load(lifecycle.definition),
      ...(isOwn ? {} : { flow: await library.load(definition) }),
    };
  }

  #rest(id: string): void {
    const seat = this.#seats.get(id);
    if (!seat || seat.users > 0) return;
    const { awake } = seat;
    // One that is still being woken rests when whoever wanted it is done with it.
    if (!awake?.isIdle) return;
    this.#idle.delete(id);
    // What has ended is of no more use awake.
    if (awake.instance.ended) this.#forget(id);
    else this.#idle.add(id);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.#options.limit) break;
      this.#forget(oldest);
    }
  }

  /** At most one instance holds a contact, as they are stored. */
  #noteHolder(runner: Runner): void {
    const { instance, stored } = runner;
    const { contact } = instance;
    if (contact === undefined) return;
    const isSeated = this.#seats.get(instance.id)?.awake === runner;
    if (stored.holds && isSeated) this.#holders.set(contact, runner);
    else if (this.#holders.get(contact) === runner) this.#holders.delete(contact);
  }

  #forget(id: string): void {
    const awake = this.#seats.get(id)?.awake;
    this.#seats.delete(id);
    if (awake) this.#noteHolder(awake);
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
    `The instance ${JSON.stringify(id)} cannot be taken up again: ${reason}`,
    cause === undefined ? {} : { cause },
  );
}
