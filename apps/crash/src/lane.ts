import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit, type Findings } from './audit.ts';
import { Chance } from '@dramaturg/host/testing';
import { Crowd } from './crowd.ts';
import { faults } from './faults/faults.ts';
import { fullDisk, mountSmallDisk } from './full-disk.ts';
import { kills } from './kills.ts';
import { type StoreKind, storeIn } from './store-kind.ts';
import type { Trouble, TroubleKind } from './trouble.ts';
import { Victim } from './victim.ts';
import { World } from './world.ts';

export interface LaneOptions {
  readonly store: StoreKind;
  readonly trouble: TroubleKind;
  readonly times: number;
  readonly seed: number;
  readonly onProgress: (times: number) => void;
}

export interface LaneReport extends Findings {
  /** How often each kind of trouble came: kills by the name of their point, faults by what failed. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Messages that were delivered again with the same id, because the receipt was lost with the process. */
  readonly repeated: number;
}

const troubles: Readonly<Record<TroubleKind, Trouble>> = { kills, faults, fills: fullDisk };

/** The number of people in a lane at a time. */
const crowdSize = 8;

/** Milliseconds for the crowd to finish after the last trouble. */
const timeoutMs = 60_000;

/**
 * Errors that a host may report while its disk fails. A record that cannot be read at the moment counts as damaged there; the
 * audit, whose disk works, finds every record in order.
 */
const diskErrors =
  /\b(?:store\/(?:failed|full|read-only|lost|closed|damaged)|host\/(?:stopped|damaged)|E[A-Z]{2,})\b/;

/** Runs one store and one crowd with hosts that are in trouble again and again. */
export async function runLane(options: LaneOptions): Promise<LaneReport> {
  const { store, trouble, times, seed, onProgress } = options;
  const hasDiskErrors = trouble !== 'kills';
  // Stored data survives a killed process in every mode. `batch` leaves the most data unflushed, `always` flushes most often.
  const fsync = hasDiskErrors ? 'always' : 'batch';
  const root = mkdtempSync(join(tmpdir(), 'dramaturg-crash-'));
  const folder = join(root, 'disk');
  mkdirSync(folder);
  const unmount = trouble === 'fills' ? mountSmallDisk(folder) : undefined;
  const world = new World(new Chance(seed + 1));
  const url = await world.open();
  const crowd = new Crowd(world, new Chance(seed + 2), {
    size: crowdSize,
    // A refused message and its successors may be sent again in another order.
    sendsAhead: !hasDiskErrors,
    mayFail: hasDiskErrors ? diskErrors : undefined,
  });
  const hostErrors: string[] = [];
  const ended = new Set<Victim>();
  const start = (mission = {}, environment: NodeJS.ProcessEnv = {}) => {
    const victim = new Victim(
      { folder, store, fsync, world: url, ...mission },
      (id) => world.receive(id),
      environment,
    );
    crowd.connect(victim);
    return victim;
  };
  const end = async (victim: Victim) => {
    const { signal } = await victim.ended;
    if (ended.has(victim)) return;
    ended.add(victim);
    crowd.connect(undefined);
    hostErrors.push(...victim.hostErrors);
    if (signal !== 'SIGKILL' && !(hasDiskErrors && diskErrors.test(victim.errors)))
      throw new Error(`The host ended by itself: ${victim.errors}`);
  };
  const crowdDone = crowd.run();
  try {
    const scene = { folder, chance: new Chance(seed), start, end, onProgress };
    const kinds = await troubles[trouble](scene, times);
    crowd.close();
    world.failures = false;
    const last = start();
    // After the timeout, the audit reports everyone who still waits.
    const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
    await Promise.race([crowdDone, rejectOnExit(last), timeout]);
    await last.ask({ do: 'stop' });
    await last.ended;
    const found = await audit(storeIn(folder, store, fsync), crowd.ledger, world);
    const unexpected = hostErrors.filter((error) => !hasDiskErrors || !diskErrors.test(error));
    for (const complaint of [...crowd.complaints, ...unexpected, ...last.hostErrors]) {
      found.lost += 1;
      found.complaints.push(complaint);
    }
    return { ...found, kinds, repeated: world.repeated };
  } finally {
    crowd.abort();
    await world.close();
    unmount?.();
    rmSync(root, { recursive: true, force: true });
  }
}

async function rejectOnExit(victim: Victim): Promise<never> {
  await victim.ended;
  throw new Error(`The host ended by itself: ${victim.errors}`);
}
