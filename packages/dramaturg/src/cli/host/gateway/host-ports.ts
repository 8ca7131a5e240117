import type { Port, Ports } from '@dramaturg/compiler';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import {
  HostError,
  type MemoryOwner,
  memoryPorts,
  type SpendingOptions,
  spendingPorts,
} from '@dramaturg/host';
import { understudyPorts } from '@dramaturg/understudy';
import { callToolPort } from '@dramaturg/host/tools';
import type { Host } from '../../../host.ts';
import { type McpServerOptions, openMcp } from '../../mcp-servers.ts';
import { agentsWithModel, type ModelOptions, portsOfModel } from '../../model.ts';
import { agentsPort, loadCrew, rulesPort, understudyAgents } from '../../workflow/agents.ts';
import { type StorageOptions, withStorage } from '../../workflow/object-storage.ts';
import { memoryFileOf, spendingFileOf } from './store-data.ts';
import type { Complete } from '../../workflow/agents-port.ts';

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
