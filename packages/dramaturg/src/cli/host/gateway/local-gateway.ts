import type { Host } from '../../../host.ts';
import { type LocalHost, localHost, type LocalHostOptions } from '../../../service/local-host.ts';
import type { Gateway } from './gateway.ts';
import { backupStore } from './store-data.ts';

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
