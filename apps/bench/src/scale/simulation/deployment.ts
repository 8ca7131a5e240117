import type { Process, Simulation } from './simulation.ts';
import type { Station } from './stations.ts';

/** A simulated deployment that takes turns. */
export interface Deployment {
  /** Resources that can be saturated. */
  readonly stations: readonly Station[];
  /** Flushes of the shared log per second, if it is simulated. More load makes them larger, not more frequent. */
  readonly flushes?: () => number;
  /**
   * Simulates one turn, from the arrival of the message to the stored receipt.
   *
   * @param onStored called when the message is stored: its sender then gets the acknowledgement
   */
  readonly turn: (onStored: () => void) => Process;
}

export type CreateDeployment = (simulation: Simulation) => Deployment;
