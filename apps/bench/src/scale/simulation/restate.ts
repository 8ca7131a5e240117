import type { RestateCosts } from '../costs.ts';
import type { CreateDeployment } from './deployment.ts';
import { busiest } from './postgres.ts';
import { Random } from './random.ts';
import { Cores } from './stations.ts';

export interface RestateSize {
  /** Number of processes of handlers, each of one thread. */
  readonly handlers: number;
  /** Number of processors of all nodes together. */
  readonly cores: number;
  readonly partitions: number;
  /** Number of nodes that store each entry of the log. */
  readonly replication: number;
}

/** Sequential durable steps of a turn: three at the instance, and an invocation and its result for the call and for the delivery. */
export const stepsOfTurn = 7;

/** Steps until the message is stored. */
const stepsUntilStored = 1;

/**
 * Handlers on a cluster of Restate. The key of a conversation decides its partition, which processes the entries of its log one
 * by one. Each replica of the log costs as much as the first.
 */
export function restateDeployment(
  { handlerMs, serverMs, stepMs, partitionTurns }: RestateCosts,
  { handlers, cores, partitions, replication }: RestateSize,
): CreateDeployment {
  return (simulation) => {
    const serverCores = new Cores(simulation, 'processors of restate-server', cores);
    const processes = stationsOf(handlers, 'the thread of a handler process');
    const logs = stationsOf(partitions, 'a partition of Restate');
    const random = new Random(1);
    const ofStep = (ms: number) => ms / stepsOfTurn;
    return {
      stations: [busiest(processes), serverCores, busiest(logs)],
      *turn(onStored) {
        const log = logs[random.below(partitions)]!;
        for (let step = 1; step <= stepsOfTurn; step += 1) {
          yield processes[random.below(handlers)]!.work(ofStep(handlerMs));
          yield serverCores.work(ofStep(serverMs * replication));
          yield log.work(ofStep(1000 / partitionTurns));
          yield simulation.pause(stepMs);
          if (step === stepsUntilStored) onStored();
        }
      },
    };

    function stationsOf(count: number, name: string): Cores[] {
      return Array.from({ length: count }, () => new Cores(simulation, name, 1));
    }
  };
}
