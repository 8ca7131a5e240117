import { DramaturgError } from '@dramaturg/compiler';
import { createHost, type Host, type Store, StoreError, type StoreLocation } from '@dramaturg/host';
import { type Chance, overriding } from '@dramaturg/testing';
import type { Breakage, BreakageContext } from '../faults/breakages.ts';
import type { StoredState, Violations } from '../oracle/stored-state.ts';
import type { Disk } from '../store/file-disk.ts';
import type { Scheduler } from '../time/scheduler.ts';
import { WallClock } from '../time/wall-clock.ts';
import type { Trace } from '../trace.ts';
import { behaviours, definitions } from '../world/definitions.ts';
import type { Messenger } from '../world/messenger.ts';
import type { Model } from '../world/model.ts';
import { SimulatedProcess } from './process.ts';

/** The process ended, or did not answer in time. It is unknown whether the request had an effect. */
export class NoAnswerError extends DramaturgError {
  override readonly name = 'NoAnswerError';

  constructor(reason: string) {
    super('simulation/no-answer', reason);
  }
}

interface Running {
  readonly process: SimulatedProcess;
  readonly wallClock: WallClock;
  readonly host: Host;
}

export interface DeploymentOptions {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly stored: StoredState;
  readonly violations: Violations;
  readonly disk: Disk;
  readonly model: Model;
  readonly messenger: Messenger;
  /** The deliberate bug in the host. */
  readonly breakage?: Breakage | undefined;
  readonly context: BreakageContext;
  /** Called at each point where a process may be killed. */
  readonly reach: (point: string, process: SimulatedProcess) => void;
}

export interface AskOptions {
  /** False if the answer of a replaced host would be misleading. */
  readonly mayBeFormer?: boolean;
}

const answerTimeoutMs = 90_000;

/**
 * The machines, and the supervisor that keeps one host running. Owns all processes: the serving host, and replaced ones that do
 * not know it yet.
 */
export class Deployment {
  readonly #options: DeploymentOptions;
  #current: Running | undefined;
  readonly #former = new Set<Running>();
  /** The process whose store was opened last. */
  #owner: SimulatedProcess | undefined;
  #processes = 0;
  #machines = 1;
  #starting: SimulatedProcess | undefined;
  #isOver = false;
  #replace: () => void = () => {};
  /** Errors that hosts have reported, by their code. */
  readonly hostErrors = new Map<string, number>();

  constructor(options: DeploymentOptions) {
    this.#options = options;
  }

  get current(): Running | undefined {
    return this.#current;
  }

  /** Starts a host, and the next one whenever it ends or is replaced. */
  async supervise(): Promise<void> {
    const { scheduler, chance } = this.#options;
    while (!this.#isOver) {
      const running = await this.#launch();
      if (running) {
        this.#current = running;
        await new Promise<void>((resolve) => {
          running.process.onEnd(resolve);
          this.#replace = resolve;
        });
        this.#current = undefined;
        if (!running.process.hasEnded) this.#former.add(running);
      }
      await scheduler.sleep(chance.between(100, 120_000));
    }
  }

  /** Starts another host, on this machine or on another one, although the current one has not ended. */
  replaceCurrent(): void {
    if (this.#options.chance.next() < 0.7) this.#machines += 1;
    this.#replace();
  }

  /** Ends all processes by a power cut. */
  cutPower(): void {
    for (const { process } of [...this.#former, ...(this.#current ? [this.#current] : [])])
      process.end();
    this.#former.clear();
    this.#starting?.end();
    this.#options.disk.cutPower();
    this.#options.stored.forgetReceipts();
  }

  /** Resumes everything that is frozen, and sets all clocks right. */
  calm(): void {
    for (const { process, wallClock } of [
      ...this.#former,
      ...(this.#current ? [this.#current] : []),
    ]) {
      process.resume();
      wallClock.correct();
    }
    for (const { process } of this.#former) process.end();
    this.#former.clear();
  }

  /** Fulfils when the serving host has no work: no call, no message and no retry. */
  async settle(): Promise<void> {
    for (;;) {
      if (this.#current && (await hasSettled(this.#current))) return;
      await this.#options.scheduler.sleep(60_000);
    }
  }

  /** Stops the serving host gracefully. No other host starts. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#current?.host.stop();
    this.#current?.process.end();
  }

  /**
   * Sends a request to the serving host, or sometimes to a replaced one.
   *
   * @throws NoAnswerError
   */
  async ask<Value>(
    work: (host: Host) => Promise<Value>,
    { mayBeFormer = true }: AskOptions = {},
  ): Promise<Value> {
    const { scheduler, chance } = this.#options;
    await scheduler.sleep(chance.between(1, 50));
    const former = [...this.#former].filter(({ process }) => !process.hasEnded);
    const isStale = mayBeFormer && former.length > 0 && chance.next() < 0.3;
    const running = isStale ? chance.of(former) : this.#current;
    if (!running) throw new NoAnswerError('No host is running.');
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        cancel();
        removeListener();
        settle();
      };
      const cancel = scheduler.after(answerTimeoutMs, () =>
        end(() => reject(new NoAnswerError('The host has not answered in time.'))),
      );
      const removeListener = running.process.onEnd(() =>
        end(() => reject(new NoAnswerError('The process has ended.'))),
      );
      const delayed = (settle: () => void) =>
        scheduler.after(chance.between(1, 50), () => end(settle));
      running.process.enter(() => {
        work(running.host).then(
          (value) => delayed(() => resolve(value)),
          (error: unknown) => delayed(() => reject(error)),
        );
      });
    });
  }

  async #launch(): Promise<Running | undefined> {
    const { scheduler, chance, trace, stored, disk, model, messenger } = this.#options;
    this.#processes += 1;
    const wallClock = new WallClock(scheduler);
    const process = new SimulatedProcess(
      `host-${this.#processes}`,
      `machine-${this.#machines}`,
      wallClock,
      chance,
    );
    this.#starting = process;
    const isOwner = () => this.#owner === process;
    const reach = (point: string) => this.#options.reach(point, process);
    trace.note(process.name, 'starts');
    process.onEnd(() => trace.note(process.name, 'ends'));
    const { context } = this.#options;
    const breakage: Breakage = this.#options.breakage ?? { does: 'nothing' };
    const observed = observedStore(disk.place(process), stored, {
      onOpen: () => {
        this.#owner = process;
        trace.note(process.name, 'opens the store');
      },
      isOwner,
    });
    const processes = this.#processes;
    const open = async (name: string) => {
      const store = await observed.open(name);
      const claimed = breakage.store
        ? overriding<Store>(store, breakage.store(store, context, processes))
        : store;
      return overriding<Store>(claimed, {
        acknowledge: async (receipt) => {
          const result = await claimed.acknowledge(receipt);
          if (result && isOwner()) stored.acknowledged(receipt);
          return result;
        },
      });
    };
    const ports = model.portsOf(process, isOwner, reach);
    const channel = messenger.channelOf(process, isOwner, reach);
    const opening = createHost({
      store: { ...observed, open },
      name: process.name,
      definitions,
      behaviours,
      definitionOf: (agent) => /^workflow:(.+)$/.exec(agent)?.[1],
      ports: breakage.ports?.(ports, context) ?? ports,
      channels: { main: breakage.channel?.(channel, context) ?? channel },
      clock: process.clock,
      callTimeout: 600_000,
      maxActive: chance.of([1, 4, 256]),
      onError: (error, activity) => this.hear(process, error, activity),
    });
    const opened = await Promise.race([
      opening.catch((error: unknown) => this.hear(process, error, 'starting')),
      new Promise<undefined>((resolve) => void process.onEnd(() => resolve(undefined))),
    ]);
    this.#starting = undefined;
    if (!opened) {
      process.end();
      return undefined;
    }
    const host = breakage.host?.(opened, context) ?? opened;
    // Events are read from the store, and this may fail.
    this.#follow(host, process).catch((error: unknown) =>
      this.hear(process, error, 'following the events'),
    );
    return { process, wallClock, host };
  }

  async #follow(host: Host, process: SimulatedProcess): Promise<void> {
    const { trace } = this.#options;
    for await (const { instance, event } of host.events()) {
      const { type, state, key, id } = event as Readonly<Record<string, string>>;
      trace.note(process.name, `${instance} ${type} ${state ?? key ?? id ?? ''}`);
    }
  }

  /** Receives an error that a process reports. After a failed or lost store, the supervisor ends the process. */
  hear(process: SimulatedProcess, error: unknown, activity: string): undefined {
    const { scheduler, trace, violations } = this.#options;
    const { message, code = 'none' } = error as { message: string; code?: string };
    trace.note(process.name, `reports ${code} while ${activity}: ${message}`);
    this.hostErrors.set(code, (this.hostErrors.get(code) ?? 0) + 1);
    if (code === 'store/damaged') violations.report('damaged', message);
    if (error instanceof StoreError && ['store/failed', 'store/lost'].includes(error.code))
      scheduler.after(60_000, () => process.end());
    return undefined;
  }
}

/** Whether a host comes to rest before its process ends. */
function hasSettled({ host, process }: Running): Promise<boolean> {
  return new Promise((resolve, reject) => {
    process.onEnd(() => resolve(false));
    host.settle({ within: Infinity }).then(resolve, reject);
  });
}

/**
 * Wraps a store, so that the oracle sees what the store acknowledges.
 *
 * @param isOwner whether the process owns the store; only then do its writes count
 */
function observedStore(
  place: StoreLocation,
  stored: StoredState,
  { onOpen, isOwner }: { readonly onOpen: () => void; readonly isOwner: () => boolean },
): StoreLocation {
  return {
    ...place,
    open: async (name) => {
      const store = await place.open(name);
      onOpen();
      const own: Partial<Store> = {
        create: async (record) => {
          const result = await store.create(record);
          if (isOwner()) stored.created(record, result);
          return result;
        },
        commit: async (change) => {
          const result = await store.commit(change);
          if (isOwner()) stored.committed(change, result);
          return result;
        },
        acknowledge: async (receipt) => {
          const result = await store.acknowledge(receipt);
          if (isOwner()) stored.acknowledged(receipt);
          return result;
        },
        delete: (id) => {
          // Even when it rejects, the record may be gone.
          if (isOwner()) stored.deleted(id);
          return store.delete(id);
        },
        read: async (id) => {
          const before = stored.revisionOf(id);
          const record = await store.read(id);
          if (isOwner()) stored.read(id, record, before);
          return record;
        },
      };
      // The last writes of the previous owner may be stored although it got no answer. A read that fails now is ignored.
      for (const id of stored.unended) await own.read!(id).catch(() => undefined);
      return overriding(store, own);
    },
  };
}
