import type { PostgresCosts, RestateCosts } from './costs.ts';

/** What a deployment has to carry. */
export interface Demand {
  /** Open conversations. */
  readonly conversations: number;
  /** Messages a second. */
  readonly rate: number;
  /** Turns that a conversation has stored, on average. */
  readonly turns: number;
}

/** A need that follows from multiplication alone. */
export interface Need {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const pageBytes = 8_192;
const megabyte = 1e6;
const gigabyte = 1e9;

/** The time between two checkpoints, in seconds. Postgres' default is five minutes. */
const checkpointSeconds = 300;

/** What Postgres needs besides processors, which the simulation finds out. */
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

/** What Restate needs besides processors and partitions. */
export function needsOfRestate(
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
