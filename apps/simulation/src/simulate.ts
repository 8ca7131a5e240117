import { Chance } from '@dramaturg/testing';
import { Conversations } from './crowd/conversations.ts';
import { Crowd, Workflows } from './crowd/crowd.ts';
import { hourMs, Ledger, Requests } from './crowd/requests.ts';
import { Nemesis, Operators } from './faults/nemesis.ts';
import { allFaultKinds, type BreakageName, breakages, type FaultKind } from './faults/breakages.ts';
import { Deployment } from './machine/deployment.ts';
import { SimulatedProcess } from './machine/process.ts';
import { Audit } from './oracle/audit.ts';
import { StoredState, Violations } from './oracle/stored-state.ts';
import { FileDisk } from './store/file-disk.ts';
import { MemoryDisk } from './store/memory-disk.ts';
import { replaceGlobals, WallClock } from './time/wall-clock.ts';
import { Scheduler } from './time/scheduler.ts';
import { Trace } from './trace.ts';
import { Messenger } from './world/messenger.ts';
import { Model } from './world/model.ts';

/** `memory` is fast; `lowdb` is the store of that name on simulated files. */
export const storeKinds = ['memory', 'lowdb'] as const;

export type StoreKind = (typeof storeKinds)[number];

export interface SimulationOptions {
  readonly seed: number;
  /** Simulated days with faults. The days until everything has settled are extra. */
  readonly days: number;
  readonly kinds: readonly FaultKind[];
  readonly store: StoreKind;
  /** The deliberate bug in the host. */
  readonly breakage?: BreakageName | undefined;
  /** The number of lines of the trace to keep. */
  readonly traceLines?: number;
}

export interface SimulationReport {
  readonly seed: number;
  readonly store: StoreKind;
  /** Simulated days, including those until everything has settled. */
  readonly days: number;
  readonly activities: number;
  readonly calls: number;
  readonly deliveries: number;
  /** The number of faults of each kind. */
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** The hash of all events: equal for all runs of a seed. */
  readonly hash: string;
  readonly events: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
}

const dayMs = 24 * hourMs;

const startAt = Date.UTC(2030, 0, 1);

/** Number of members of the crowd. */
const crowdSize = 3;

/** Days after the last fault within which everything must settle. */
const settleDays = 10;

/** Work that ran at the last fault, such as an operator's request or the stop of a host, must end within this time. */
const quietMs = hourMs;

/** Runs one simulation. Its result depends only on the options. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { seed, days, kinds, traceLines = 200 } = options;
  const scheduler = new Scheduler(startAt);
  const breakage = options.breakage === undefined ? undefined : breakages[options.breakage];
  const chanceOf = (part: number) => new Chance(seed * 1_000_003 + part);
  const trace = new Trace(() => scheduler.now, traceLines);
  const violations = new Violations(trace);
  const stored = new StoredState(violations);
  const ledger = new Ledger();
  const model = new Model(scheduler, chanceOf(1), trace, stored);
  const messenger = new Messenger(scheduler, chanceOf(2), trace, stored);
  const reach = (point: string, process: SimulatedProcess) => nemesis.reach(point, process);
  const disk =
    options.store === 'memory'
      ? new MemoryDisk(scheduler, chanceOf(3), reach)
      : new FileDisk(
          scheduler,
          chanceOf(3),
          reach,
          (error, process) => deployment.hear(process, error, 'storing'),
          breakage,
        );
  const deployment: Deployment = new Deployment({
    scheduler,
    chance: chanceOf(4),
    trace,
    stored,
    violations,
    disk,
    model,
    messenger,
    reach,
    breakage,
    context: { scheduler, seen: new Map() },
  });
  const requests = new Requests(scheduler, chanceOf(5), deployment);
  const operators = new Operators(requests, ledger);
  const crowd = new Crowd(
    requests,
    new Conversations(requests, ledger, messenger),
    new Workflows(requests, ledger),
  );
  const nemesis: Nemesis = new Nemesis({
    scheduler,
    chance: chanceOf(6),
    trace,
    deployment,
    operators,
    messenger,
    model,
    disk,
    kinds: drawn(kinds, seed),
  });
  const onError = (error: unknown) =>
    violations.report(
      'error',
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );

  const restoreGlobals = replaceGlobals(scheduler);
  try {
    deployment.supervise().catch(onError);
    operators.keepWatch().catch(onError);
    crowd.begin(crowdSize, onError);
    nemesis.begin().catch(onError);
    await scheduler.runUntil(startAt + days * dayMs, () => violations.any);
    crowd.close();
    nemesis.end();
    await scheduler.runUntil(scheduler.now + quietMs, () => violations.any);
    const deadline = scheduler.now + settleDays * dayMs;
    await scheduler.runUntil(deadline, () => violations.any || crowd.isDone);
    if (!crowd.isDone && !violations.any)
      violations.report(
        'liveness',
        `${[...crowd.running].join(', ')} has not ended ${settleDays} days after the last fault`,
      );
    if (!violations.any) await settle(deadline);
    if (!violations.any) await audit();
  } finally {
    restoreGlobals();
  }
  return {
    seed,
    store: options.store,
    days: (scheduler.now - startAt) / dayMs,
    activities: crowd.activities,
    calls: model.calls.size,
    deliveries: messenger.accepted.size,
    faults: Object.fromEntries(nemesis.counts),
    hash: trace.hash(),
    events: trace.count,
    violations: violations.found,
    trace: trace.lines,
  };

  /**
   * Waits for deliveries for which no member of the crowd waits. A retry can be late, because clocks were set back after the last
   * fault.
   */
  async function settle(at: number): Promise<void> {
    let isSettled = false;
    deployment.settle().then(() => (isSettled = true), onError);
    await scheduler.runUntil(at, () => violations.any || isSettled);
    if (!isSettled && !violations.any)
      violations.report(
        'liveness',
        `the host still has something to do ${settleDays} days after the last fault`,
      );
  }

  /** Stops the host, and reads the store. */
  async function audit(): Promise<void> {
    const stopping = deployment.stop();
    let isAudited = false;
    const work = (async () => {
      await stopping;
      const process = new SimulatedProcess(
        'audit',
        'machine-1',
        new WallClock(scheduler),
        chanceOf(7),
      );
      const store = await disk.place(process).open('the audit');
      await new Audit({ store, disk, ledger, messenger, model, violations }).run();
    })();
    work.catch(onError).finally(() => (isAudited = true));
    await scheduler.runUntil(scheduler.now + dayMs, () => isAudited);
    if (!isAudited) violations.report('liveness', 'the host does not stop');
  }
}

/** Draws some kinds of faults for a seed: without frequent faults, rare ones are visible. */
function drawn(kinds: readonly FaultKind[], seed: number): readonly FaultKind[] {
  if (kinds.length < 3) return kinds;
  return kinds.filter((kind) => {
    const chance = new Chance(seed * 7_919 + allFaultKinds.indexOf(kind));
    return chance.next() < 0.7;
  });
}
