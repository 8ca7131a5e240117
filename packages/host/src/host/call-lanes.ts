import type { PortName } from '@dramaturg/compiler';
import { Lane, type LaneOptions, type Ticket } from '../admission/lane.ts';

/** Finds the lane of a port, in which instances wait for slots. */
export type CallLanes = (port: PortName) => Lane;

export interface CallLaneOptions extends Omit<LaneOptions, 'concurrency' | 'work' | 'onFailure'> {
  /** How many calls of a port run at the same time. */
  readonly concurrencyOf: (port: PortName) => number;
  /** Loads an instance, and makes its next call to a port. */
  readonly makeNext: (instance: string, port: PortName, begin: () => void) => Promise<void>;
  /** The instance could not be loaded. */
  readonly onFailure: (instance: string, error: unknown) => void;
}

export function callLanesOf(options: CallLaneOptions): CallLanes {
  const { concurrencyOf, makeNext, onFailure } = options;
  return lanesByName(
    (port) =>
      new Lane({
        ...options,
        concurrency: concurrencyOf(port),
        work: ({ key }, begin) => makeNext(key, port, begin),
        onFailure: ({ key }, error) => onFailure(key, error),
      }),
  );
}

/** Makes each lane when it is first used. */
export function lanesByName<Name>(make: (name: Name) => Lane): (name: Name) => Lane {
  const lanes = new Map<Name, Lane>();
  return (name) => {
    const lane = lanes.get(name) ?? make(name);
    lanes.set(name, lane);
    return lane;
  };
}

/**
 * The ticket of an instance in the lane of a port: one for any number of calls. The instance adds the next ticket when it makes a
 * call.
 *
 * @param isReminder whether the calls are for a reminder, so that nobody waits for them
 */
export function callTicket(
  instance: string,
  contact: string | undefined,
  isReminder: boolean,
): Ticket {
  const priority = isReminder ? 'batch' : 'interactive';
  return { key: instance, group: contact ?? instance, priority };
}
