import type { PostgresCosts } from '../costs.ts';
import type { CreateDeployment } from './deployment.ts';
import { Random } from './random.ts';
import { Batches, Cores, type Station } from './stations.ts';

export interface PostgresSize {
  /** Number of hosts, each a process with its own tenant. */
  readonly hosts: number;
  /** Number of processors of the server. */
  readonly cores: number;
}

/** The writes of a turn: the message, the answer, and the receipt, which does not wait for the device. */
const writesOfTurn = 3;

/** The maximum number of writes in a transaction of `postgresStore`. */
const groupSizeMax = 512;

/**
 * Hosts on one Postgres server. A host is one thread. It has one transaction at a time, on one processor of the server, with all
 * waiting writes. Transactions of different hosts run in parallel, and ended ones share the next flush of the log.
 */
export function postgresDeployment(
  { handler, server, flushMs, roundTripMs }: PostgresCosts,
  { hosts, cores }: PostgresSize,
): CreateDeployment {
  return (simulation) => {
    const serverCores = new Cores(simulation, 'processors of Postgres', cores);
    const log = new Batches(simulation, { work: () => simulation.pause(flushMs) });
    const random = new Random(1);
    const threads: Cores[] = [];
    const commits: Batches[] = [];
    for (let host = 0; host < hosts; host += 1) {
      const thread = new Cores(simulation, 'the thread of a host', 1);
      threads.push(thread);
      commits.push(
        new Batches(simulation, {
          sizeMax: groupSizeMax,
          work: (size) => (resume) =>
            simulation.start(
              (function* transaction() {
                yield thread.work(handler.groupMs);
                yield serverCores.work(server.groupMs + (size * server.turnMs) / writesOfTurn);
                yield log.join();
                yield simulation.pause(roundTripMs);
                resume();
              })(),
            ),
        }),
      );
    }
    // The fixed cost of a transaction is shared by all writes in it, so only the cost of the writes can saturate a connection.
    const connectionOf = (commit: Batches): Station => ({
      name: 'the connection of a host',
      get utilisation() {
        return (commit.itemRate * server.turnMs) / writesOfTurn / 1000;
      },
    });
    return {
      stations: [busiest(threads), busiest(commits.map(connectionOf)), serverCores],
      flushes: () => log.rate,
      *turn(onStored) {
        const host = random.below(hosts);
        for (let write = 1; write <= writesOfTurn; write += 1) {
          yield threads[host]!.work(handler.turnMs / writesOfTurn);
          yield commits[host]!.join();
          if (write === 1) onStored();
        }
      },
    };
  };
}

/** The station with the highest utilisation. */
export function busiest(stations: readonly Station[]): Station {
  return {
    name: stations[0]!.name,
    get utilisation() {
      return Math.max(...stations.map(({ utilisation }) => utilisation));
    },
  };
}
