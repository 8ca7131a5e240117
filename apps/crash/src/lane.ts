import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FsyncMode } from '@dramaturg/host';
import { audit, type Findings } from './audit.ts';
import { Chance } from '@dramaturg/testing';
import { PostgresServer, TcpProxy } from '@dramaturg/test-servers';
import { Crowd } from './crowd.ts';
import { faults } from './faults/faults.ts';
import { fullDisk, mountSmallDisk } from './full-disk.ts';
import { kills } from './kills.ts';
import { outages } from './outages.ts';
import { restateOutages } from './restate-outages.ts';
import { RestatePlace } from './restate-place.ts';
import type { StoreKind } from './store-kind.ts';
import { storeOf } from './store-of.ts';
import { lostExitCode } from './protocol.ts';
import type { Scene, Trouble, TroubleKind } from './trouble.ts';
import { Victim } from './victim.ts';
import { World } from './world.ts';

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
  /** How often each kind of trouble came: kills by the name of their point, faults by what failed. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Messages that were delivered again with the same id, because the receipt was lost with the process. */
  readonly repeated: number;
  /** Milliseconds of each takeover by another host. */
  readonly takeovers: readonly number[];
}

const troubles: Readonly<Record<TroubleKind, Trouble>> = {
  kills,
  faults,
  fills: fullDisk,
  outages,
};

/** The number of people in a lane at a time. */
const crowdSize = 8;

/** Milliseconds for the crowd to finish after the last trouble. */
const timeoutMs = 300_000;

/**
 * Errors that a host may report while its disk fails. A record that cannot be read at the moment counts as damaged there; the
 * audit, whose disk works, finds every record in order.
 */
const diskErrors =
  /\b(?:crash\/lost|store\/(?:owned|failed|full|read-only|lost|closed|damaged)|host\/(?:stopped|damaged)|E[A-Z]{2,})\b/;

/** Errors of callers of a host that stops. */
const stopErrors = /\b(?:host\/stopped|store\/closed)\b/;

/** Errors of callers and hosts that do not reach Restate just now. */
const restateErrors =
  /fetch failed|terminated|Request failed|Premature close|Got abort error from connection|Restate refused|store\/closed|host\/stopped|E[A-Z]{2,}\b/;

/** Runs one store and one crowd with hosts that are in trouble again and again. */
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
    // A refused message and its successors may be sent again in another order.
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
    folder,
    store,
    fsync,
    ...(server && { database: server.createDatabase().url }),
    ...(restate && { restate: restate.missionAt(0) }),
  };
  const start: Scene['start'] = (mission = {}, environment = {}) => {
    const victim = new Victim(
      { ...place, world: url, ...mission },
      (id) => world.receive(id),
      environment,
    );
    victims.push(victim);
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
    // After the timeout, the audit reports everyone who still waits.
    const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
    await Promise.race([crowdDone, rejectOnExit(last), timeout]);
    // The records on Restate are read through a host. A store is read when its host has ended.
    await last.ask(restate ? { do: 'settle' } : { do: 'stop', within: 10_000 });
    if (!restate) await last.ended;
    const stored = restate ? restate.store() : await storeOf(place).open('the audit');
    const found = await audit(stored, crowd.ledger, world);
    const unexpected = hostErrors.filter((error) => !expected?.test(error));
    for (const complaint of [...crowd.complaints, ...unexpected, ...last.hostErrors]) {
      found.lost += 1;
      found.complaints.push(complaint);
    }
    return { ...found, kinds, repeated: world.repeated, takeovers };
  } finally {
    crowd.abort();
    for (const victim of victims) victim.kill();
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
