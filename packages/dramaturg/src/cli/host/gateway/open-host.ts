import { existsSync } from 'node:fs';
import type { Compiled, Port, Ports } from '@dramaturg/compiler';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import {
  type ChannelConversation,
  type FsyncMode,
  HostError,
  type HostOptions,
  type HttpChannel,
  type Limits,
  type MemoryOwner,
  memoryPorts,
  type SpendingOptions,
  spendingPorts,
  type StoreError,
} from '@dramaturg/host';
import { callToolPort } from '@dramaturg/host/tools';
import type { StandbyOptions } from '@dramaturg/postgres';
import { understudyPorts } from '@dramaturg/understudy';
import { createHost, type Host } from '../../../host.ts';
import { channelHandlers } from '../../../service/local-host.ts';
import { type McpServerOptions, openMcp } from '../../mcp-servers.ts';
import { agentsWithModel, type ModelOptions, portsOfModel } from '../../model.ts';
import type { Complete } from '../../workflow/agents-port.ts';
import { agentsPort, loadCrew, rulesPort, understudyAgents } from '../../workflow/agents.ts';
import { type StorageOptions, withStorage } from '../../workflow/object-storage.ts';
import { printErrorOfCommand } from './explain-error.ts';
import type { PreparedTracing } from '../tracing.ts';
import { type LocalGateway, localGateway } from './gateway.ts';
import { channelsFor, type Show } from './provider-channels.ts';
import { attachmentsOf, memoryFileOf, spendingFileOf } from './store-data.ts';
import { storeAt, type StoreKind } from './store-folder.ts';

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
  const files = attachmentsOf(folder);
  const { ports, close } = await hostPorts(settings, () => gateway.host);
  const host = await createHost({
    store: place,
    name,
    definitions,
    ports: settings.tracing?.ports(ports) ?? ports,
    channels,
    limits: settings.limits,
    ...(existsSync(files.folder) && { attachments: { place: files.place } }),
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

interface HostPortsOptions extends ModelOptions, StorageOptions, McpServerOptions {
  /** The file of a module. */
  readonly agents?: string | undefined;
  /** The folder of the store. Without it there are no ports that keep data in its files. */
  readonly folder?: string;
  /** The sizes of pools. */
  readonly pool?: SpendingOptions['pools'] | undefined;
  /** Milliseconds after which a call of any port fails. */
  readonly callTimeout?: number | undefined;
}

interface HostPorts {
  readonly ports: Partial<Ports> & Partial<MemoryOwner>;
  /** Ends connections. Call it when the host has stopped. */
  readonly close: () => Promise<void>;
}

/** The ports of a host: a model or the understudy, with the agents and tools of a module and of MCP servers. */
export async function hostPorts(
  { agents: module, folder, pool, ...options }: HostPortsOptions,
  host: () => Host,
): Promise<HostPorts> {
  const crew = module === undefined ? undefined : await loadCrew(module);
  const model = await portsOfModel(options, crew?.tools);
  const played = model ? agentsWithModel(model, crew) : crew ? agentsPort(crew) : understudyAgents;
  const run = await withStorage(played, options);
  const runAgent: Port<'runAgent'> = async (
    call,
    { signal, onText, heartbeat = () => {}, traceparent },
  ) => {
    const use = { signal, onText, heartbeat, complete: completeFor(call.key, host) };
    return run(call, { ...use, ...(traceparent && { traceparent }) });
  };
  const mcp = await openMcp(options, options.callTimeout);
  const { recall: _recall, remember: _remember, validate, ...understudy } = understudyPorts();
  const ports = {
    ...understudy,
    ...model,
    ...(folder !== undefined && { ...memoryIn(folder), ...spendingIn(folder, pool) }),
    ...(crew && { callTool: callToolPort(crew) }),
    // The understudy accepts every value, which is right only for a trial.
    ...(crew ? { validate: rulesPort(crew) } : model ? {} : { validate }),
    runAgent,
  };
  return { ports: mcp?.ports(ports) ?? ports, close: async () => mcp?.close() };
}

/** The memory in the folder of the store. It is opened at the first call: by then this host owns the store. */
function memoryIn(folder: string): ReturnType<typeof memoryPorts> {
  let opened: ReturnType<typeof memoryPorts> | undefined;
  const memory = () => (opened ??= memoryPorts({ file: memoryFileOf(folder) }));
  return {
    recall: (input, call) => memory().recall(input, call),
    remember: (input, call) => memory().remember(input, call),
    forget: (instances) => memory().forget(instances),
    memoriesOf: (instances) => memory().memoriesOf(instances),
  };
}

/** The port that counts the spending of the store's workflows. The file is opened at the first call. */
function spendingIn(
  folder: string,
  pools: SpendingOptions['pools'] = {},
): Pick<Ports, 'countSpending'> {
  let opened: ReturnType<typeof spendingPorts> | undefined;
  return {
    countSpending: (input, call) =>
      (opened ??= spendingPorts({ file: spendingFileOf(folder), pools })).countSpending(
        input,
        call,
      ),
  };
}

/** Completes a task of the instance that made a call. The key of the call begins with the id of the instance. */
function completeFor(key: string, host: () => Host): Complete {
  return (event) => void complete(key, event, host());
}

async function complete(key: string, event: Parameters<Complete>[0], host: Host): Promise<void> {
  // Both the id and the rest of the key may contain slashes.
  for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
    try {
      const answer = await host.send(key.slice(0, end), event);
      if (!answer.accepted) warnNotCompleted(answer.because);
      return;
    } catch (error) {
      if (error instanceof HostError && error.code === 'host/unknown-instance') continue;
      warnNotCompleted(String(error));
      return;
    }
  }
}

function warnNotCompleted(because: string): void {
  process.stderr.write(`dramaturg: A task could not be completed: ${withoutSecrets(because)}\n`);
}
