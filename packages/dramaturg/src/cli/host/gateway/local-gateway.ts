import type { ChannelHandlers } from '@dramaturg/service';
import type { Host } from '../../../host.ts';
import { HostOperations } from '../../../service/host-operations.ts';
import type { Gateway } from './gateway.ts';
import { backupStore } from './store-data.ts';

interface LocalGatewayOptions {
  /** How long `settle` waits for running work. */
  readonly settleTimeoutMs: number;
  readonly channels: readonly string[];
  readonly channelHandlers?: ChannelHandlers;
  /** The folder of the store. */
  readonly folder: string;
}

/** The gateway of a host in this process. It owns the host: `close` stops it and releases the store. */
export class LocalGateway extends HostOperations implements Gateway {
  readonly isServed: boolean = false;
  readonly #settleTimeoutMs: number;

  constructor(
    host: Host,
    { settleTimeoutMs, channels, channelHandlers, folder }: LocalGatewayOptions,
  ) {
    super(host, {
      channels,
      channelHandlers,
      backup: (target) => backupStore(folder, target, (path) => host.backup(path)),
    });
    this.#settleTimeoutMs = settleTimeoutMs;
  }

  readonly settle: Gateway['settle'] = () => this.host.settle({ within: this.#settleTimeoutMs });
  readonly close = () => this.host.stop({ within: 0 });
}
