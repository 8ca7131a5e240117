import { PeerError } from '../peers.ts';
import type { Calibration, Check, PostgresCosts, RestateCosts, SharedCost } from './costs.ts';
import type { CreateDeployment } from './simulation/deployment.ts';
import { closedLoad, openLoad, type Outcome } from './simulation/loads.ts';
import { postgresDeployment, type PostgresSize } from './simulation/postgres.ts';
import { restateDeployment, type RestateSize } from './simulation/restate.ts';

/** The numbers of the command line. */
export interface StudyOptions {
  readonly conversations: number | undefined;
  readonly rate: number | undefined;
  readonly turns: number | undefined;
  readonly seconds: number | undefined;
  readonly hosts: number | undefined;
  readonly cores: number | undefined;
  readonly partitions: number | undefined;
  readonly nodes: number | undefined;
  readonly replication: number | undefined;
}

export function studyPostgres({ postgres }: Calibration, options: StudyOptions): Study {
  if (postgres === undefined) throw noCosts('postgres');
  const { rate, seconds, demand } = loadOf(options);
  const { costs, checks } = postgres;
  const size = sizeOfPostgres(costs, rate);
  const chosen = { hosts: options.hosts ?? size.hosts, cores: options.cores ?? size.cores };
  return {
    store: 'Postgres',
    size: { hosts: chosen.hosts, 'processors of Postgres': chosen.cores },
    needs: needsOfPostgres(costs, demand),
    ...studyOf(postgresDeployment(costs, chosen), { rate, seconds }),
    // One host, and the rest of the machine for the server.
    checks: checked(postgresDeployment(costs, { hosts: 1, cores: 1 }), checks),
  };
}

export function studyRestate({ restate }: Calibration, options: StudyOptions): Study {
  if (restate === undefined) throw noCosts('restate');
  const { rate, seconds, demand } = loadOf(options);
  const { costs, checks } = restate;
  const [nodes, replication] = [options.nodes!, options.replication!];
  const size = sizeOfRestate(costs, rate, replication);
  const chosen = {
    handlers: options.hosts ?? size.handlers,
    cores: options.cores ?? size.cores,
    partitions: options.partitions ?? size.partitions,
    replication,
  };
  return {
    store: 'Restate',
    size: {
      'handler processes': chosen.handlers,
      nodes,
      'processors of all nodes': chosen.cores,
      partitions: chosen.partitions,
    },
    needs: needsOfRestate(costs, demand, { nodes, replication }),
    ...studyOf(restateDeployment(costs, chosen), { rate, seconds }),
    checks: checked(
      restateDeployment(costs, { handlers: 1, cores: 1, partitions: 4, replication: 1 }),
      checks,
    ),
  };
}

function loadOf({ conversations, rate, turns, seconds }: StudyOptions) {
  return {
    rate: rate!,
    seconds: seconds!,
    demand: { conversations: conversations!, rate: rate!, turns: turns! },
  };
}

function noCosts(store: string): PeerError {
  return new PeerError(
    `The file of --costs has no costs of ${store}. Measure them: leave out --costs, and name another file with --save.`,
  );
}

/** The maximum average utilisation of a resource, so that its queue stays short. */
const busyAtMost = 0.7;

/** The number of writes of a turn, and so the maximum number of its groups. */
const groupsOfTurnMax = 3;

/** The number of hosts and of processors of Postgres that keep all of them below `busyAtMost`. */
function sizeOfPostgres(costs: PostgresCosts, rate: number): PostgresSize {
  const { handler, server, flushMs, roundTripMs } = costs;
  const groupMs = handler.groupMs + server.groupMs + flushMs + roundTripMs;
  for (let hosts = 1; ; hosts += 1) {
    const groupsPerTurn = Math.min(groupsOfTurnMax, (hosts * 1000) / groupMs / rate);
    const threadMs = millisecondsOf(handler, groupsPerTurn);
    // The server works on one transaction of a host at a time.
    if ((rate * Math.max(threadMs, server.turnMs)) / hosts / 1000 > busyAtMost) continue;
    const busyCores = (rate * millisecondsOf(server, groupsPerTurn)) / 1000;
    return { hosts, cores: countFor(busyCores) };
  }
}

/** @param replication the number of nodes that store each entry of the log */
function sizeOfRestate(
  { handlerMs, serverMs, partitionTurns }: RestateCosts,
  rate: number,
  replication: number,
): RestateSize {
  return {
    handlers: countFor((rate * handlerMs) / 1000),
    cores: countFor((rate * serverMs * replication) / 1000),
    partitions: countFor(rate / partitionTurns),
    replication,
  };
}

/** @param busy how many of them would be fully used */
function countFor(busy: number): number {
  return Math.max(1, Math.ceil(busy / busyAtMost));
}

function millisecondsOf({ turnMs, groupMs }: SharedCost, groupsPerTurn: number): number {
  return turnMs + groupMs * groupsPerTurn;
}

/** One point of a sweep over rates. */
export interface Point extends Outcome {
  readonly rate: number;
}

/** The results of the simulation of a deployment. */
export interface Study {
  readonly store: string;
  /** The parts of the deployment: processes, processors, partitions. */
  readonly size: Readonly<Record<string, number>>;
  readonly needs: readonly Need[];
  /** The result at the wanted rate. */
  readonly outcome: Point;
  /** The results from a tenth of the wanted rate to beyond the rate at which the first resource is saturated. */
  readonly sweep: readonly Point[];
  /** The resource that is saturated first, and the rate at which that happens. */
  readonly first: { readonly name: string; readonly rate: number };
  /** Simulations of the measurements on one machine. */
  readonly checks: readonly Checked[];
}

interface Checked extends Check {
  readonly simulatedTurns: number;
  readonly simulatedP50: number;
}

const points = 12;

/** Simulates a deployment at a rate, and at rates around it. */
function studyOf(
  create: CreateDeployment,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Pick<Study, 'outcome' | 'sweep' | 'first'> {
  const at = (each: number): Point => ({
    rate: each,
    ...openLoad(create, { rate: each, seconds }),
  });
  const outcome = at(rate);
  const busiest = outcome.stations.toSorted((a, b) => b.utilisation - a.utilisation)[0]!;
  const first = { name: busiest.name, rate: rate / busiest.utilisation };
  const most = Math.max(1.15 * first.rate, 1.1 * rate);
  const sweep = Array.from({ length: points }, (_, index) => at(((index + 1) / points) * most));
  return { outcome, sweep, first };
}

/** Simulates the measurements of one machine: the same number of turns in flight. */
function checked(create: CreateDeployment, checks: readonly Check[]): Checked[] {
  return checks.map((check) => {
    const { turns, turn } = closedLoad(create, { inFlight: check.inFlight, seconds: 20 });
    return { ...check, simulatedTurns: turns, simulatedP50: turn.p50 };
  });
}

/** The load of a deployment. */
interface Demand {
  /** Number of open conversations. */
  readonly conversations: number;
  /** Messages per second. */
  readonly rate: number;
  /** Turns that a conversation has stored, on average. */
  readonly turns: number;
}

/** A need that follows from multiplication alone. */
interface Need {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const pageBytes = 8_192;
const megabyte = 1e6;
const gigabyte = 1e9;

/** The time between two checkpoints, in seconds. Postgres' default is five minutes. */
const checkpointSeconds = 300;

/** The needs of Postgres besides processors, which the simulation determines. */
export function needsOfPostgres(costs: PostgresCosts, demand: Demand): Need[] {
  const { conversations, rate, turns } = demand;
  const cold = shareOfFirstTurns(demand);
  const pages = rate * cold * costs.pagesAfterCheckpoint;
  const bytes = conversations * (costs.conversationBytes + turns * costs.turnBytes);
  return [
    { name: 'tables and indexes', value: bytes / gigabyte, unit: 'GB' },
    { name: 'growth a day', value: (rate * 86_400 * costs.turnBytes) / gigabyte, unit: 'GB' },
    { name: 'log without whole pages', value: (rate * costs.logBytes) / megabyte, unit: 'MB/s' },
    { name: 'turns that are the first since a checkpoint', value: 100 * cold, unit: '%' },
    { name: 'whole pages in the log', value: (pages * pageBytes) / megabyte, unit: 'MB/s' },
    { name: 'pages that checkpoints write', value: pages, unit: '/s' },
    {
      name: 'pages read, when nothing is in memory',
      value: rate * costs.pagesAfterCheckpoint,
      unit: '/s',
    },
  ];
}

/** The needs of Restate besides processors and partitions. */
function needsOfRestate(
  costs: RestateCosts,
  { rate }: Demand,
  { nodes, replication }: { readonly nodes: number; readonly replication: number },
): Need[] {
  const bytes = rate * costs.diskBytes * replication;
  return [
    { name: 'written to the disks of all nodes', value: bytes / megabyte, unit: 'MB/s' },
    { name: 'written to the disk of a node', value: bytes / nodes / megabyte, unit: 'MB/s' },
  ];
}

/**
 * The share of turns that are the first of their conversation since the last checkpoint. They write whole pages to the log.
 * Messages are spread evenly over the conversations.
 */
function shareOfFirstTurns({ conversations, rate }: Demand): number {
  const turns = rate * checkpointSeconds;
  return (conversations * (1 - Math.exp(-turns / conversations))) / turns;
}
