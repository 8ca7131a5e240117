import type { PortName } from '@dramaturg/compiler';
import type { Activity } from '../admission/activity.ts';
import { Lane, type Ticket } from '../admission/lane.ts';
import type { Schedule } from '../admission/schedule.ts';

/** A stored call that waits for a slot. */
export interface CallTicket extends Ticket {
  readonly instance: string;
  readonly letter: string;
}

/** A stored call of an instance. */
export interface CallRequest {
  readonly port: PortName;
  readonly instance: string;
  readonly contact: string | undefined;
  readonly letter: string;
}

export interface CallLaneOptions {
  /** How many calls of a port run at the same time. */
  readonly concurrencyOf: (port: PortName) => number;
  /** Loads the instance of a ticket, and makes the call. Must not reject. */
  readonly make: (ticket: CallTicket, begin: () => void) => Promise<void>;
  readonly schedule: Schedule;
  readonly activity: Activity;
}

/** Owns the calls of all instances that wait for a slot of their port. */
export class CallLanes {
  readonly #options: CallLaneOptions;
  readonly #lanes = new Map<PortName, Lane<CallTicket>>();

  constructor(options: CallLaneOptions) {
    this.#options = options;
  }

  /** Queues a call, unless it is queued. */
  request({ port, instance, contact, letter }: CallRequest): void {
    const key = keyOf(instance, letter);
    this.#laneOf(port).add({ key, group: contact ?? instance, instance, letter });
  }

  /** Removes a call that is not wanted any more, if it is queued. */
  withdraw({ port, instance, letter }: Omit<CallRequest, 'contact'>): void {
    this.#laneOf(port).remove(keyOf(instance, letter));
  }

  #laneOf(port: PortName): Lane<CallTicket> {
    const known = this.#lanes.get(port);
    if (known) return known;
    const { concurrencyOf, make, schedule, activity } = this.#options;
    const concurrency = concurrencyOf(port);
    const lane = new Lane<CallTicket>({ concurrency, work: make, schedule, activity });
    this.#lanes.set(port, lane);
    return lane;
  }
}

/** Any text can be an id, so a separator would be ambiguous. */
function keyOf(instance: string, letter: string): string {
  return `${instance.length}:${instance}${letter}`;
}
