import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  PostgresServer,
  RestateServer,
  whyNoPostgres,
  whyNoRestate,
} from '@dramaturg/test-servers';
import { storeFolder } from '../host/stores.ts';
import { type Benchmark, PeerError, type Readings, readingsOf, showProgress } from '../measure.ts';
import { deployedNote, deployedOptions, OwnProcess } from '../own-process/own-process.ts';
import type { ContenderName } from '../side-by-side/contenders.ts';
import type { ProcessSettings } from '../side-by-side/opened.ts';

/** Contenders that are measured in turn, and share a server. */
interface Group {
  readonly on: string;
  readonly server: ServerKind;
  readonly contenders: readonly ContenderName[];
  readonly goals: readonly Goal[];
}

/** An upper limit for a ratio of two contenders, at each number of turns in flight. */
interface Goal {
  readonly name: string;
  readonly atMost?: number;
  readonly ratio: (of: (contender: ContenderName, quantity: Quantity) => number) => number;
}

type Quantity = 'turns' | 'p50' | 'p99';

const quantities: Readonly<Record<Quantity, { readonly name: string; readonly unit: string }>> = {
  turns: { name: 'turns a second', unit: '/s' },
  p50: { name: 'a turn, median', unit: 'ms' },
  p99: { name: 'a turn, 99th percentile', unit: 'ms' },
};

/** Numbers of turns in flight at a time. */
const levels = [1, 32, 256];

/** How long a sample sends messages, in milliseconds. */
const sampleMs = 1_000;

const groups: readonly Group[] = [
  {
    on: 'files',
    server: 'none',
    contenders: ['ours on lowdb', 'ours on sqlite', 'LangGraph with SqliteSaver'],
    goals: [],
  },
  {
    on: 'Postgres',
    server: 'postgres',
    contenders: [
      'ours on Postgres',
      'ours on Postgres, followed',
      'three inserts on Postgres',
      'DBOS',
      'openworkflow',
      'LangGraph with PostgresSaver',
    ],
    goals: [
      {
        name: 'turns a second of DBOS over ours',
        atMost: 0.5,
        ratio: (of) => of('DBOS', 'turns') / of('ours on Postgres', 'turns'),
      },
      {
        name: 'median of ours over that of DBOS',
        atMost: 0.5,
        ratio: (of) => of('ours on Postgres', 'p50') / of('DBOS', 'p50'),
      },
      {
        // Subscribers cost processor time for each event, but no reads of the store.
        name: 'time of ours with twenty more subscribers of all events over one',
        atMost: 3,
        ratio: (of) => of('ours on Postgres', 'turns') / of('ours on Postgres, followed', 'turns'),
      },
      {
        name: 'median of three inserts over that of DBOS',
        ratio: (of) => of('three inserts on Postgres', 'p50') / of('DBOS', 'p50'),
      },
    ],
  },
  {
    on: 'Restate',
    server: 'restate',
    contenders: [
      'ours on Restate',
      'a Restate object that accepts messages',
      'a Restate object of one handler',
    ],
    goals: [
      {
        name: 'time of ours over an object that accepts messages',
        atMost: 1.5,
        ratio: (of) =>
          of('a Restate object that accepts messages', 'turns') / of('ours on Restate', 'turns'),
      },
      {
        name: 'time of ours over an object of one handler',
        ratio: (of) =>
          of('a Restate object of one handler', 'turns') / of('ours on Restate', 'turns'),
      },
    ],
  },
];

/** The same durable turn in our hosts and in other engines, with 1, 32 and 256 of them in flight. */
export const sideBySide: readonly Benchmark[] = groups.flatMap((group) =>
  readingsOf(() => prepared(group), rowsOf(group), { rounds: 5, note: deployedNote }),
);

function rowsOf({ on, contenders, goals }: Group): Parameters<typeof readingsOf>[1] {
  return Object.fromEntries(
    levels.flatMap((level) => {
      const at = `side by side on ${on}, ${level} in flight`;
      return [
        ...contenders.flatMap((contender) =>
          Object.entries(quantities).map(([quantity, { name, unit }]) => [
            keyOf(contender, level, quantity as Quantity),
            [`${at}, ${contender}: ${name}`, unit],
          ]),
        ),
        ...goals.map(({ name, atMost }) => [`${name} ${level}`, [`${at}: ${name}`, '×', atMost]]),
      ];
    }),
  );
}

const module = join(import.meta.dirname, '../side-by-side/contender-process.ts');

/** Opens the contenders of a group, each in its own process, and returns a function that samples all of them. */
async function prepared({ on, server, contenders, goals }: Group) {
  const addresses = await startServer(server);
  const processes: { readonly name: ContenderName; readonly process: OwnProcess }[] = [];
  for (const name of contenders) {
    const settings: ProcessSettings = {
      ...addresses(),
      name,
      folder: storeFolder(`side-by-side-${name.replaceAll(/\W+/g, '-')}`),
      conversations: 256,
    };
    showProgress(`side by side on ${on}: preparing ${name}`);
    processes.push({ name, process: await OwnProcess.prepared(module, settings, deployedOptions) });
  }
  for (const level of levels)
    for (const { process } of processes) {
      // Warms up the JIT.
      await process.sample({ inFlight: level, forMs: sampleMs });
    }
  return async () => {
    const readings: Record<string, number> = {};
    for (const level of levels) {
      for (const { name, process } of processes) {
        showProgress(`side by side on ${on}, ${level} in flight: ${name}`);
        const result = await process.sample({ inFlight: level, forMs: sampleMs });
        for (const quantity of Object.keys(quantities) as Quantity[])
          readings[keyOf(name, level, quantity)] = result[quantity]!;
      }
      for (const { name, ratio } of goals)
        readings[`${name} ${level}`] = ratio(
          (contender, quantity) => readings[keyOf(contender, level, quantity)]!,
        );
      // Rotates the order, so that no contender is always first.
      processes.push(processes.shift()!);
    }
    return readings satisfies Readings;
  };
}

function keyOf(contender: ContenderName, level: number, quantity: Quantity): string {
  return `${contender} ${level} ${quantity}`;
}

/** The servers that contenders can need. */
type ServerKind = 'none' | 'postgres' | 'restate';

/** The addresses that one contender gets. */
type Addresses = () => {
  readonly postgres: string;
  readonly ingress: string;
  readonly admin: string;
};

const nothing = { postgres: '', ingress: '', admin: '' };

/**
 * Starts a server that all contenders of a group share, with the durability of production, on the disk of the stores. It ends
 * with this process.
 *
 * @throws PeerError when the server is missing
 */
async function startServer(kind: ServerKind): Promise<Addresses> {
  switch (kind) {
    case 'none':
      return () => nothing;
    case 'postgres': {
      needs(whyNoPostgres());
      const server = await PostgresServer.start({ folder: serverFolder('side-by-side-postgres') });
      return () => ({ ...nothing, postgres: server.createDatabase().url });
    }
    case 'restate': {
      needs(whyNoRestate());
      const server = await RestateServer.start({ folder: storeFolder('side-by-side-restate') });
      return () => ({ ...nothing, ingress: server.ingress, admin: server.admin });
    }
  }
}

/** Creates a folder on the disk of the stores that a server can use. It is removed when this process ends. */
function serverFolder(name: string): string {
  const folder = storeFolder(name);
  // Postgres runs as its own user, which needs access to its folder.
  chmodSync(dirname(folder), 0o711);
  return folder;
}

function needs(whyMissing: string | undefined): void {
  if (whyMissing !== undefined) throw new PeerError(whyMissing);
}
