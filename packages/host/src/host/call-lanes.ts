import type { PortName } from '@dramaturg/compiler';
import type { Activity } from '../admission/activity.ts';
import { Lane, type Ticket } from '../admission/lane.ts';
import type { Schedule } from '../admission/schedule.ts';

/** The stored calls of an instance to one port. */
export interface CallRequest {
  readonly port: PortName;
  readonly instance: string;
  readonly contact: string | undefined;
  /** Whether the calls are for a reminder, so that nobody waits for them. */
  readonly isReminder: boolean;
}

export interface CallLaneOptions {
  /** How many calls of a port run at the same time. */
  readonly concurrencyOf: (port: PortName) => number;
  /** Loads an instance, and makes its next call to a port. Must not reject. */
  readonly makeNext: (instance: string, port: PortName, begin: () => void) => Promise<void>;
  /** See `LaneOptions`. */
  readonly startsPerTurn?: number | undefined;
  readonly schedule: Schedule;
  readonly activity: Activity;
}

/**
 * Owns the queues for slots of ports: the ids of instances. An instance has one ticket for each port, for any number of calls,
 * and asks for the next ticket when it makes a call.
 */
export class CallLanes {
  readonly #options: CallLaneOptions;
  readonly #lanes = new Map<PortName, Lane>();

  constructor(options: CallLaneOptions) {
    this.#options = options;
  }

  /** Queues the next call of an instance to a port, unless it is queued. Reminders are `batch`, see `Lane`. */
  request(request: CallRequest): void {
    const priority = request.isReminder ? 'batch' : 'interactive';
    this.#laneOf(request.port).add({ ...ticketOf(request), priority });
  }

  /** Removes an instance that has no more calls to the port, if it is queued. */
  withdraw(request: Omit<CallRequest, 'isReminder'>): void {
    this.#laneOf(request.port).remove(ticketOf(request));
  }

  #laneOf(port: PortName): Lane {
    const known = this.#lanes.get(port);
    if (known) return known;
    const { concurrencyOf, makeNext, startsPerTurn, schedule, activity } = this.#options;
    const concurrency = concurrencyOf(port);
    const work = ({ key }: Ticket, begin: () => void) => makeNext(key, port, begin);
    const lane = new Lane({ concurrency, work, startsPerTurn, schedule, activity });
    this.#lanes.set(port, lane);
    return lane;
  }
}

function ticketOf({ instance, contact }: Omit<CallRequest, 'isReminder'>): Ticket {
  return { key: instance, group: contact ?? instance };
}
