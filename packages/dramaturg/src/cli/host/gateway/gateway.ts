import type { EventFilter } from '@dramaturg/host';
import type { Events, Operations, ReadOperations } from '@dramaturg/service/client';
import type { Host } from '../../../host.ts';
import { type LocalHost, localHost, type LocalHostOptions } from '../../../service/local-host.ts';
import { backupStore } from './store-data.ts';

/** Reads the instances of a store: from the store itself, or through the host that runs it. */
export interface ReadingGateway extends ReadOperations {
  /** Whether a host in another process answers. */
  readonly isServed: boolean;
  /** Begins to report events as they happen. Absent while no host runs the store. */
  readonly follow?: (filter: EventFilter) => Promise<Events>;
  readonly close: () => Promise<void>;
}

/** Starts and changes the instances of a store: in this process, or through the host that runs it. */
export interface Gateway extends ReadingGateway, Operations {
  /** @returns whether all work has finished; undefined where the host is another process, which continues by itself */
  readonly settle: () => Promise<boolean | undefined>;
}

/** The gateway of a host that runs in other processes. */
export interface ServedGateway extends Gateway {
  readonly isServed: true;
  readonly follow: NonNullable<ReadingGateway['follow']>;
}

/** Whether other processes run the instances, and not this process. */
export function isServedGateway(opened: unknown): opened is ServedGateway {
  return (opened as Partial<ServedGateway> | undefined)?.isServed === true;
}

interface LocalGatewayOptions extends Omit<LocalHostOptions, 'backup' | 'store'> {
  /** How long `settle` waits for running work. */
  readonly settleTimeoutMs: number;
  /** The folder of the store. */
  readonly folder: string;
}

/** The gateway of a host in this process. It owns the host: `close` stops it and releases the store. */
export type LocalGateway = LocalHost & Gateway;

export function localGateway(
  host: Host,
  { settleTimeoutMs, folder, ...options }: LocalGatewayOptions,
): LocalGateway {
  return {
    ...localHost(host, {
      ...options,
      store: folder,
      backup: (target) => backupStore(folder, target, (path) => host.backup(path)),
    }),
    isServed: false,
    settle: () => host.settle({ within: settleTimeoutMs }),
    close: () => host.stop({ within: 0 }),
  };
}
