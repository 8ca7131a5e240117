import type { PostgresCosts, RestateCosts, SharedCost } from './costs.ts';
import type { PostgresSize } from './simulation/postgres.ts';
import type { RestateSize } from './simulation/restate.ts';

/** How busy a resource may be on average, so that a queue in front of it stays short. */
const busyAtMost = 0.7;

/** The writes of a turn, and so the most groups that a turn can take part in. */
const groupsOfTurnMax = 3;

/** The number of hosts and of processors of Postgres that keep all of them below `busyAtMost`. */
export function sizeOfPostgres(costs: PostgresCosts, rate: number): PostgresSize {
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

/** @param replication how many nodes store each entry of the log */
export function sizeOfRestate(
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

/** @param busy how many of them would be busy all the time */
function countFor(busy: number): number {
  return Math.max(1, Math.ceil(busy / busyAtMost));
}

function millisecondsOf({ turnMs, groupMs }: SharedCost, groupsPerTurn: number): number {
  return turnMs + groupMs * groupsPerTurn;
}
