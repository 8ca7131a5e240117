import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit, type Findings } from './audit.ts';
import { Chance } from './chance.ts';
import { Crowd } from './crowd.ts';
import { type StoreKind, storeIn } from './store-kind.ts';
import { Victim } from './victim.ts';
import { World } from './world.ts';

export interface LaneOptions {
  readonly store: StoreKind;
  readonly kills: number;
  readonly seed: number;
  readonly onKill: () => void;
}

export interface LaneReport extends Findings {
  readonly kills: number;
  /** Kills at named points, by the name of the point. */
  readonly points: Readonly<Record<string, number>>;
  /** Messages that were delivered again with the same id, because the receipt was lost with the process. */
  readonly repeated: number;
}

/** The number of people in a lane at a time. */
const crowdSize = 8;

/** Milliseconds for the crowd to finish after the last kill. */
const timeoutMs = 60_000;

/** Runs one store and one crowd with a host that is killed again and again. */
export async function runLane({ store, kills, seed, onKill }: LaneOptions): Promise<LaneReport> {
  const chance = new Chance(seed);
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-crash-'));
  const world = new World(new Chance(seed + 1));
  const url = await world.open();
  const crowd = new Crowd(world, new Chance(seed + 2), crowdSize);
  const points = new Map<string, Point>();
  const mission = { folder, store, world: url };
  const hostErrors: string[] = [];
  const onReceipt = (id: string) => world.receive(id);
  const crowdDone = crowd.run();
  try {
    for (let kill = 0; kill < kills;) {
      const killAt = chooseKill(points, chance);
      const victim = new Victim({ ...mission, ...(killAt ? { killAt } : {}) }, onReceipt);
      crowd.connect(victim);
      await victim.ready;
      // A process that does not reach its chosen point is killed at a random instant.
      const killAfterMs = killAt ? 1_000 : chance.between(0, 250);
      const timer = setTimeout(() => victim.kill(), killAfterMs);
      const { signal } = await victim.ended;
      clearTimeout(timer);
      crowd.connect(undefined);
      hostErrors.push(...victim.hostErrors);
      for (const [name, reached] of victim.points) {
        const { kills: before = 0, reached: most = 0 } = points.get(name) ?? {};
        points.set(name, { kills: before, reached: Math.max(most, reached) });
      }
      if (signal !== 'SIGKILL') throw new Error(`The host ended by itself: ${victim.errors}`);
      if (killAt) {
        const point = points.get(killAt.point)!;
        points.set(killAt.point, { ...point, kills: point.kills + 1 });
      }
      kill += 1;
      onKill();
    }
    crowd.close();
    world.failures = false;
    const last = new Victim(mission, onReceipt);
    crowd.connect(last);
    // After the timeout, the audit reports everyone who still waits.
    const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
    await Promise.race([crowdDone, rejectOnExit(last), timeout]);
    await last.ask({ do: 'stop' });
    await last.ended;
    hostErrors.push(...last.hostErrors);
    const found = await audit(storeIn(folder, store), crowd.ledger, world);
    for (const complaint of [...crowd.complaints, ...hostErrors]) {
      found.lost += 1;
      found.complaints.push(complaint);
    }
    return {
      ...found,
      kills,
      points: Object.fromEntries(Array.from(points, ([name, point]) => [name, point.kills])),
      repeated: world.repeated,
    };
  } finally {
    crowd.abort();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Point {
  readonly kills: number;
  /** A lower bound for the most times that one run has reached the point. */
  readonly reached: number;
}

/** Half of the kills come at a random instant. The others come at the named point with the fewest kills so far. */
function chooseKill(points: ReadonlyMap<string, Point>, chance: Chance) {
  if (points.size === 0 || chance.next() < 0.5) return undefined;
  const fewest = Math.min(...Array.from(points.values(), ({ kills }) => kills));
  const [point, { reached }] = chance.of([...points].filter(([, { kills }]) => kills === fewest));
  return { point, times: chance.between(1, Math.min(12, reached)) };
}

async function rejectOnExit(victim: Victim): Promise<never> {
  await victim.ended;
  throw new Error(`The host ended by itself: ${victim.errors}`);
}
