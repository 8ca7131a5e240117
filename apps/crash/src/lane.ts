import { type ChildProcess, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FsyncMode } from '@dramaturg/host';
import { postgresStore } from '@dramaturg/postgres';
import { PostgresServer, TcpProxy } from '@dramaturg/test-servers';
import { Chance } from '@dramaturg/testing';
import { audit, type Findings } from './audit.ts';
import { definitions } from './definitions.ts';
import { Crowd } from './crowd.ts';
import { FaultLibrary } from './faults/fault-library.ts';
import { outages } from './outages.ts';
import { cuts } from './power-cuts.ts';
import { lostExitCode, type StoreKind } from './protocol.ts';
import { restateOutages } from './restate-outages.ts';
import { storeOf } from './store-of.ts';
import { RestatePlace, type Scene, type Trouble, type TroubleKind } from './trouble.ts';
import { prepareVictim, Victim } from './victim.ts';
import { World } from './world.ts';

/** The reason why no disk can be filled here; undefined if one can. */
export function whyNoFullDisk(): string | undefined {
  if (process.platform !== 'linux') return 'A small disk is mounted as tmpfs, which needs Linux.';
  if (process.getuid?.() !== 0) return 'Mounting a small disk needs root.';
  const folder = '/proc/self/mounts';
  return spawnSync('mount', ['--version']).status === 0
    ? undefined
    : `There is no mount (${folder}).`;
}

const diskSize = '24m';

/** Mounts a small file system. @returns a function that unmounts it */
function mountSmallDisk(folder: string): () => void {
  const { status, stderr } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${diskSize}`,
    'dramaturg',
    folder,
  ]);
  if (status !== 0) throw new Error(`The disk could not be mounted: ${stderr.toString()}`);
  return () => void spawnSync('umount', ['--lazy', folder]);
}

/** Fills the disk of a host while it works, and empties it again. The host recovers by itself, or is killed while the disk is full. */
const fullDisk: Trouble = async ({ folder, chance, start, end, onProgress }, times) => {
  const ballast = join(folder, 'ballast');
  const counts = { 'went on by itself': 0, 'killed on a full disk': 0, 'opened on a full disk': 0 };
  let victim = start();
  for (let fill = 0; fill < times; fill += 1) {
    await victim.ready;
    await pause(chance.between(20, 200));
    fillDisk(ballast);
    await Promise.race([victim.ended, pause(chance.between(20, 300))]);
    const luck = chance.next();
    if (luck < 0.6) counts['went on by itself'] += 1;
    else {
      counts['killed on a full disk'] += 1;
      victim.kill();
      await end(victim);
      if (luck > 0.8) {
        counts['opened on a full disk'] += 1;
        victim = start();
        await Promise.race([victim.ready, victim.ended]);
      }
    }
    rmSync(ballast);
    if (victim.hasEnded) {
      await end(victim);
      victim = start();
    }
    onProgress(1);
  }
  await victim.ready;
  victim.kill();
  await end(victim);
  return { kinds: counts };
};

/** Writes until nothing fits, in blocks that get smaller. */
function fillDisk(file: string): void {
  for (let size = 1 << 20; size >= 1;) {
    try {
      appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size >>= 2;
    }
  }
}

/** One in this many calls fails. With rare faults a host makes progress; frequent ones hit it while it recovers from another. */
const rates = [4, 8, 16, 40, 150];

/** Milliseconds that a host has to open its store, unless its calls fail all the time. */
const readyMs = 10_000;
/** Milliseconds between two polls for a fault. */
const pollMs = 50;

/**
 * Makes system calls of hosts on the files of their store fail, while a host opens its store or while it works. Afterwards the
 * host works without faults for a while, or is killed immediately.
 */
const faults: Trouble = async (scene, times) => {
  const library = new FaultLibrary();
  try {
    for (let done = 0; done < times;) {
      const before = done;
      await runHost(scene, library);
      done = total(library.counts);
      scene.onProgress(done - before);
    }
    return { kinds: library.counts };
  } finally {
    library.remove();
  }
};

async function runHost(
  { folder, chance, start, end }: Scene,
  library: FaultLibrary,
): Promise<void> {
  library.enable(chance.next() < 0.3);
  const seed = chance.between(1, 2 ** 31);
  const before = total(library.counts);
  const victim = start({}, library.environment(folder, seed, chance.of(rates)));
  const state = { hasEnded: false };
  void victim.ended.then(() => (state.hasEnded = true));
  await Promise.race([victim.ready, pause(readyMs)]);
  library.enable(true);
  await Promise.race([victim.ended, pause(chance.between(100, 1_500))]);
  // On a busy machine, the host may not have made a call yet.
  while (!state.hasEnded && total(library.counts) === before)
    await Promise.race([victim.ended, pause(pollMs)]);
  library.enable(false);
  if (chance.next() < 0.5) await Promise.race([victim.ended, pause(chance.between(0, 300))]);
  victim.kill();
  await end(victim);
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

interface Point {
  readonly kills: number;
  /** A lower bound for the maximum number of visits of the point in one run. */
  readonly reached: number;
}

/** The share of ends at a random instant that are a stop without a grace period, instead of a kill. */
const stopped = 0.4;

/** Kills hosts with SIGKILL: half of them at a random instant, the others at a named point. Some are stopped instead. */
const kills: Trouble = async ({ chance, start, end, onProgress }, times) => {
  const points = new Map<string, Point>();
  let stops = 0;
  for (let kill = 0; kill < times; kill += 1) {
    const killAt = chooseKill(points, chance);
    const victim = start(killAt ? { killAt } : {});
    await victim.ready;
    // A process that does not reach its chosen point is killed at a random instant.
    const killAfterMs = killAt ? 1_000 : chance.between(0, 250);
    const isStopped = !killAt && chance.next() < stopped;
    if (isStopped) stops += 1;
    const timer = setTimeout(() => (isStopped ? victim.stop() : victim.kill()), killAfterMs);
    await end(victim);
    clearTimeout(timer);
    for (const [name, reached] of victim.points) {
      const { kills: before = 0, reached: most = 0 } = points.get(name) ?? {};
      points.set(name, { kills: before, reached: Math.max(most, reached) });
    }
    if (killAt) {
      const point = points.get(killAt.point)!;
      points.set(killAt.point, { ...point, kills: point.kills + 1 });
    }
    onProgress(1);
  }
  const kinds = Array.from(points, ([name, point]) => [name, point.kills] as const);
  return { kinds: { stop: stops, ...Object.fromEntries(kinds) } };
};

/** Half of the kills come at a random instant. The others come at the named point with the fewest kills so far. */
function chooseKill(points: ReadonlyMap<string, Point>, chance: Chance) {
  if (points.size === 0 || chance.next() < 0.5) return undefined;
  const fewest = Math.min(...Array.from(points.values(), (point) => point.kills));
  const [point, { reached }] = chance.of([...points].filter(([, each]) => each.kills === fewest));
  return { point, times: chance.between(1, Math.min(12, reached)) };
}

export interface LaneOptions {
  readonly store: StoreKind;
  readonly trouble: TroubleKind;
  /** The number of nodes of Restate. */
  readonly nodes: number;
  readonly times: number;
  readonly seed: number;
  readonly onProgress: (times: number) => void;
}

export interface LaneReport extends Findings {
  /** The number of troubles of each kind: kills by the name of their point, faults by the failed call. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Messages that were delivered again with the same id, because the receipt was lost with the process. */
  readonly repeated: number;
  /** The duration of each takeover by another host, in milliseconds. */
  readonly takeovers: readonly number[];
}

const troubles: Readonly<Record<TroubleKind, Trouble>> = {
  kills,
  faults,
  fills: fullDisk,
  cuts,
  outages,
};

/** The number of people in a lane at the same time. */
const crowdSize = 8;

/** Milliseconds for the crowd to finish after the last trouble. */
const timeoutMs = 300_000;

/**
 * Errors that a host may report while its disk fails. A record that cannot be read during the failure counts as damaged. The
 * audit has a working disk, and finds every record intact.
 */
const diskErrors =
  /\b(?:crash\/lost|store\/(?:owned|failed|full|read-only|lost|closed|damaged)|host\/(?:stopped|damaged)|E[A-Z]{2,})\b/;

/** Errors of callers while a host stops. */
const stopErrors = /\b(?:host\/stopped|store\/closed)\b/;

/** Errors of callers and hosts while Restate cannot be reached. */
const restateErrors =
  /fetch failed|terminated|Request failed|Premature close|Got abort error from connection|Restate refused|store\/closed|host\/stopped|E[A-Z]{2,}\b/;

/** Runs one store and one crowd, with hosts that get into trouble again and again. */
export async function runLane(options: LaneOptions): Promise<LaneReport> {
  const { store, trouble, times, seed, nodes, onProgress } = options;
  const hasDiskErrors = trouble !== 'kills';
  const expected = store === 'restate' ? restateErrors : hasDiskErrors ? diskErrors : undefined;
  const makeTrouble =
    store === 'restate' && trouble === 'outages' ? restateOutages : troubles[trouble];
  // Stored data survives a killed process in every mode. `batch` leaves the most data unflushed, `always` flushes most often.
  const fsync: FsyncMode = hasDiskErrors ? 'always' : 'batch';
  const root = mkdtempSync(join(tmpdir(), 'dramaturg-crash-'));
  const folder = join(root, 'disk');
  mkdirSync(folder);
  const unmount = trouble === 'fills' ? mountSmallDisk(folder) : undefined;
  const world = new World(new Chance(seed + 1));
  const url = await world.open();
  const crowd = new Crowd(world, new Chance(seed + 2), {
    size: crowdSize,
    // After a refusal, a message and the next ones may be sent again in another order.
    sendsAhead: expected === undefined,
    mayFail: expected ?? stopErrors,
  });
  const hostErrors: string[] = [];
  const ended = new Set<Victim>();
  const server = store === 'postgres' ? await PostgresServer.start() : undefined;
  const restate = store === 'restate' ? await RestatePlace.start(nodes) : undefined;
  const proxies: TcpProxy[] = [];
  const victims: Victim[] = [];
  const place = {
    definitions,
    folder,
    store,
    fsync,
    ...(server && { database: server.createDatabase().url }),
    ...(restate && { restate: restate.missionAt(0) }),
  };
  let isOver = false;
  let spare: ChildProcess | undefined;
  const start: Scene['start'] = (mission = {}, environment) => {
    const isUsable = !environment && spare?.exitCode === null;
    const prepared = isUsable ? spare! : prepareVictim(store, environment);
    if (isUsable) spare = undefined;
    const missionOfPlace = { ...place, world: url, ...mission };
    const victim = new Victim(prepared, missionOfPlace, (id) => world.receive(id));
    victims.push(victim);
    // The next host is prepared while this one works, so that its start takes no time.
    void victim.ready.then(() => {
      if (!environment && !isOver) spare ??= prepareVictim(store);
    });
    if (trouble !== 'outages') crowd.connect(victim);
    return victim;
  };
  const end = async (victim: Victim) => {
    const { signal, code } = await victim.ended;
    if (ended.has(victim)) return;
    ended.add(victim);
    if (trouble !== 'outages') crowd.connect(undefined);
    hostErrors.push(...victim.hostErrors);
    const isExpected = signal === 'SIGKILL' || code === 0 || code === lostExitCode;
    if (!isExpected && !expected?.test(victim.errors))
      throw new Error(`The host ended by itself: ${victim.errors}`);
  };
  const crowdDone = crowd.run();
  try {
    const connect = (victim: Victim) => crowd.connect(victim);
    const chance = new Chance(seed);
    const scene = {
      store,
      folder,
      chance,
      start,
      end,
      connect,
      server,
      restate,
      proxyTo: async (port: number) => {
        const proxy = await TcpProxy.start({ port });
        proxies.push(proxy);
        return proxy;
      },
      database: place.database,
      onProgress,
    };
    const { kinds, takeovers = [] } = await makeTrouble(scene, times);
    crowd.close();
    world.failures = false;
    const last = start();
    crowd.connect(last);
    // After the timeout, the audit reports all waiting people.
    const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
    await Promise.race([crowdDone, rejectOnExit(last), timeout]);
    // Records on Restate are read through a running host. A store is read after its host has ended.
    await last.ask(restate ? { do: 'settle' } : { do: 'stop', within: 10_000 });
    if (!restate) await last.ended;
    const stored = restate
      ? restate.store()
      : await (place.database === undefined ? storeOf(place) : postgresStore(place.database)).open(
          'the audit',
        );
    const found = await audit(stored, crowd.ledger, world);
    const unexpected = hostErrors.filter((error) => !expected?.test(error));
    for (const complaint of [...crowd.complaints, ...unexpected, ...last.hostErrors]) {
      found.lost += 1;
      found.complaints.push(complaint);
    }
    return { ...found, kinds, repeated: world.repeated, takeovers };
  } finally {
    crowd.abort();
    isOver = true;
    for (const victim of victims) victim.kill();
    spare?.kill('SIGKILL');
    await Promise.all(victims.map((victim) => victim.ended));
    await world.close();
    unmount?.();
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await Promise.all([server?.stop(), restate?.stop()]);
    rmSync(root, { recursive: true, force: true });
  }
}

async function rejectOnExit(victim: Victim): Promise<never> {
  await victim.ended;
  throw new Error(`The host ended by itself: ${victim.errors}`);
}
