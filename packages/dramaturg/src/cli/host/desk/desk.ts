import type { EventFilter } from '@dramaturg/host';
import type { Events, Operations, ReadOperations } from '@dramaturg/service/client';

/** Reads the instances of a store: from the store itself, or through the host that runs it. */
export interface ReadingDesk extends ReadOperations {
  /** Whether a host in another process answers. */
  readonly isServed: boolean;
  /** Begins to report events as they happen. Absent while no host runs the store. */
  readonly follow?: (filter: EventFilter) => Promise<Events>;
  readonly close: () => Promise<void>;
}

/** Starts and changes the instances of a store: in this process, or through the host that runs it. */
export interface Desk extends ReadingDesk, Operations {
  /** @returns whether all work has finished; undefined where the host is another process, which continues by itself */
  readonly settle: () => Promise<boolean | undefined>;
}

/** The desk of a host that runs in other processes. */
export interface ServedDesk extends Desk {
  readonly isServed: true;
  readonly follow: NonNullable<ReadingDesk['follow']>;
}

/** Whether instances are run by other processes, rather than by what this process has opened. */
export function isServedDesk(opened: unknown): opened is ServedDesk {
  return (opened as Partial<ServedDesk> | undefined)?.isServed === true;
}
