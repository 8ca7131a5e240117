import type { Chance } from '@dramaturg/testing';
import { hourMs, type Ledger, minuteMs, type Requests } from '../crowd/requests.ts';
import type { Deployment } from '../machine/deployment.ts';
import type { SimulatedProcess } from '../machine/process.ts';
import { type DiskTrouble, soundDisk } from '../store/file-disk.ts';
import type { Scheduler } from '../time/scheduler.ts';
import type { Trace } from '../trace.ts';
import { type Messenger, soundMessenger } from '../world/messenger.ts';
import { type Model, soundModel } from '../world/model.ts';
import type { FaultKind } from './breakages.ts';

export interface NemesisOptions {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly deployment: Deployment;
  readonly operators: Operators;
  readonly messenger: Messenger;
  readonly model: Model;
  readonly disk: { trouble: DiskTrouble };
  readonly kinds: readonly FaultKind[];
}

/** Injects faults, several times a day. Owns the troubles of disk, model and channel, and the armed kill. */
export class Nemesis {
  readonly #options: NemesisOptions;
  /** The armed kill: the process ends after this many points from now. */
  #armed: { visits: number; readonly isPower: boolean } | undefined;
  #isOver = false;
  /** The number of faults of each kind. */
  readonly counts = new Map<FaultKind, number>();

  constructor(options: NemesisOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    const { scheduler, chance, kinds, trace } = this.#options;
    while (!this.#isOver && kinds.length > 0) {
      await scheduler.sleep(chance.between(0, 4 * hourMs));
      if (this.#isOver) return;
      const kind = chance.of(kinds);
      trace.note('NEMESIS', kind);
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      await this.#cause(kind);
    }
  }

  /** Stops injecting faults, and repairs everything that is broken. */
  end(): void {
    const { deployment, messenger, model, disk, trace } = this.#options;
    this.#isOver = true;
    this.#armed = undefined;
    messenger.trouble = soundMessenger;
    model.trouble = soundModel;
    disk.trouble = soundDisk;
    deployment.calm();
    trace.note('NEMESIS', 'ends');
  }

  /** Called at each point where a process may end. */
  reach(point: string, process: SimulatedProcess): void {
    const armed = this.#armed;
    if (!armed || !process.isRunning) return;
    armed.visits -= 1;
    if (armed.visits > 0) return;
    this.#armed = undefined;
    this.#options.trace.note('NEMESIS', `ends ${process.name} at the point ${point}`);
    if (armed.isPower) this.#options.deployment.cutPower();
    else process.end();
  }

  async #cause(kind: FaultKind): Promise<void> {
    const { chance, deployment, operators } = this.#options;
    const { current } = deployment;
    switch (kind) {
      case 'kill':
      case 'power':
        // Half of the ends come at a point, the others at any time.
        if (chance.next() < 0.8)
          this.#armed = { visits: chance.between(1, 40), isPower: kind === 'power' };
        else if (kind === 'power') deployment.cutPower();
        else current?.process.end();
        return;
      case 'stop':
        if (!current) return;
        await Promise.race([
          current.host.stop({ within: chance.between(0, minuteMs) }).catch(() => {}),
          this.#options.scheduler.sleep(10 * minuteMs),
        ]);
        return current.process.end();
      case 'freeze':
        current?.process.freeze();
        await this.#pause(1_000, hourMs);
        return current?.process.resume();
      case 'takeover':
        return this.#takeOver();
      case 'clock':
        return current?.wallClock.jump(
          chance.between(-26, 26) * chance.of([1_000, minuteMs, hourMs]),
        );
      case 'operator':
        return operators.interfere();
      default:
        return this.#trouble(kind);
    }
  }

  async #takeOver(): Promise<void> {
    const { deployment, scheduler, chance } = this.#options;
    const { current } = deployment;
    if (!current) return;
    current.process.freeze();
    deployment.replaceCurrent();
    scheduler.after(chance.between(minuteMs, 5 * hourMs), () => {
      current.process.resume();
      scheduler.after(chance.between(1_000, 6 * hourMs), () => current.process.end());
    });
  }

  /** Disturbs a part for a while. */
  async #trouble(kind: 'outage' | 'channel' | 'model' | 'disk'): Promise<void> {
    const { chance, messenger, model, disk } = this.#options;
    const some = () => (chance.next() < 0.5 ? 0 : chance.next() / 2);
    if (kind === 'outage') messenger.trouble = { ...soundMessenger, isDown: true };
    if (kind === 'channel')
      messenger.trouble = {
        isDown: false,
        failures: some(),
        silences: some(),
        lostReceipts: some(),
        rejections: some(),
      };
    if (kind === 'model')
      model.trouble = {
        failures: some(),
        silences: some(),
        answerMs: chance.of([4_000, 10 * minuteMs]),
      };
    if (kind === 'disk')
      disk.trouble = {
        failures: chance.next() < 0.5 ? 0.05 : 0,
        isFull: chance.next() < 0.3,
        flushMs: chance.of([3, 100, 20_000]),
      };
    await this.#pause(minuteMs, kind === 'outage' ? 12 * hourMs : 2 * hourMs);
    if (kind === 'model') model.trouble = soundModel;
    else if (kind === 'disk') disk.trouble = soundDisk;
    else messenger.trouble = soundMessenger;
  }

  #pause(from: number, to: number): Promise<void> {
    const { scheduler, chance } = this.#options;
    return scheduler.sleep(chance.between(from, to));
  }
}

/** People who watch the host. One is always on duty and resumes instances that wait for a person. The others interfere. */
export class Operators {
  readonly #requests: Requests;
  readonly #ledger: Ledger;
  #interventions = 0;

  constructor(requests: Requests, ledger: Ledger) {
    this.#requests = requests;
    this.#ledger = ledger;
  }

  /** Resumes instances that are paused, set aside or need a person, for as long as the simulation lasts. */
  async keepWatch(): Promise<never> {
    for (;;) {
      await this.#requests.pause(10 * minuteMs, 2 * hourMs);
      for (const waiting of [
        { state: 'NEEDS_HUMAN_INTERVENTION' },
        { state: 'PAUSED' },
        { queue: 'setAside' },
      ] as const) {
        const page = await this.#requests.once((host) => host.list(waiting, { limit: 100 }));
        for (const { id } of page?.items ?? []) {
          await this.#requests.once((host) => host.resume(id));
        }
      }
    }
  }

  /** Performs a random action on a random instance. */
  async interfere(): Promise<void> {
    const { chance } = this.#requests;
    const page = await this.#requests.once((host) => host.list({ ended: false }, { limit: 100 }));
    const instances = page?.items ?? [];
    if (instances.length === 0) return;
    const { id } = chance.of(instances);
    const luck = chance.next();
    if (luck < 0.4) await this.#requests.once((host) => host.pause(id));
    else if (luck < 0.6) await this.#requests.once((host) => host.resume(id));
    else if (luck < 0.8) await this.#writeByHand(id);
    else {
      this.#ledger.cancelled.add(id);
      await this.#requests.once((host) => host.cancel(id, 'An operator was in the mood.'));
    }
  }

  async #writeByHand(instance: string): Promise<void> {
    this.#interventions += 1;
    const text = `by hand ${this.#interventions}`;
    const answer = await this.#requests.once((host) => host.intervene(instance, text));
    if (answer?.accepted) this.#ledger.byHand.push({ instance, text });
  }
}
