import type { Compiled } from '@dramaturg/compiler';
import type {
  ChannelConversation,
  FsyncMode,
  HostOptions,
  HttpChannel,
  Limits,
  SpendingOptions,
  StoreError,
} from '@dramaturg/host';
import type { StandbyOptions } from '@dramaturg/postgres';
import { createHost } from '../../../host.ts';
import type { McpServerOptions } from '../../mcp-servers.ts';
import { channelHandlers } from '../../../service/channel-handlers.ts';
import type { ModelOptions } from '../../model.ts';
import type { StorageOptions } from '../../workflow/object-storage.ts';
import { channelsFor, type Show } from './provider-channels.ts';
import { type LocalGateway, localGateway } from './gateway.ts';
import { storeAt, type StoreKind } from './store-folder.ts';
import { hostPorts } from './host-ports.ts';
import type { PreparedTracing } from '../tracing.ts';
import { printErrorOfCommand } from '../print/host-error.ts';

export interface HostSettings extends ModelOptions, StorageOptions, McpServerOptions {
  readonly folder: string;
  /** The name of this owner, for people who find the store in use. */
  readonly name: string;
  readonly show: Show;
  readonly definitions?: Readonly<Record<string, Compiled>>;
  readonly kind?: StoreKind | undefined;
  readonly fsync?: FsyncMode | undefined;
  /** How to wait for a store in Postgres that another host owns. */
  readonly standby?: StandbyOptions | undefined;
  /** The file of a module. */
  readonly agents?: string | undefined;
  /** The traces that the host will have. */
  readonly tracing?: Pick<PreparedTracing, 'ports'> | undefined;
  /** The sizes of pools. */
  readonly pool?: SpendingOptions['pools'] | undefined;
  readonly webhook?: string | undefined;
  /** Channels with a provider. The first one is the default. */
  readonly providers?: Readonly<Record<string, HttpChannel>>;
  /** The channel that defines the form of the command's contact. */
  readonly contactChannel?: string | undefined;
  /** The conversation that the first message of a new contact starts. */
  readonly orStart?: ChannelConversation | undefined;
  readonly limits: Limits;
  /** Milliseconds after which a call of any port fails; the host's own values when undefined. */
  readonly callTimeout?: number | undefined;
  /** How long `settle` waits for running work. */
  readonly settleTimeoutMs: number;
  readonly onStoreError?: (error: StoreError) => void;
  readonly onError?: HostOptions['onError'];
}

/** Opens a store as its owner, and runs its instances. */
export async function openHost(settings: HostSettings): Promise<LocalGateway> {
  const { folder, name, show, definitions = {}, webhook, callTimeout, settleTimeoutMs } = settings;
  const place = await storeAt(folder, {
    kind: settings.kind,
    fsync: settings.fsync,
    standby: settings.standby,
    ...(settings.onStoreError ? { onError: settings.onStoreError } : {}),
  });
  const { providers = {}, orStart } = settings;
  const channels = channelsFor(webhook, show, providers);
  const { ports, close } = await hostPorts(settings, () => gateway.host);
  const host = await createHost({
    store: place,
    name,
    definitions,
    ports: settings.tracing?.ports(ports) ?? ports,
    channels,
    limits: settings.limits,
    ...(callTimeout === undefined ? {} : { callTimeout }),
    onError: settings.onError ?? printErrorOfCommand,
  });
  void host.stopped.then(close);
  const gateway = localGateway(host, {
    settleTimeoutMs,
    channels: Object.keys(channels),
    channelHandlers: channelHandlers(host, providers, orStart),
    folder,
  });
  return gateway;
}
