import type { Process, Simulation } from './simulation.ts';
import type { Station } from './stations.ts';

/** A simulated deployment that takes turns. */
export interface Deployment {
  /** Resources that can be saturated. */
  readonly stations: readonly Station[];
  /** Flushes of the shared log a second, if it is simulated. More load makes them larger rather than more. */
  readonly flushes?: () => number;
  /**
   * One turn, from the arrival of the message to the stored receipt.
   *
   * @param onStored called when the message is stored, which is when its sender gets the acknowledgement
   */
  readonly turn: (onStored: () => void) => Process;
}

export type CreateDeployment = (simulation: Simulation) => Deployment;
