import { join } from 'node:path';
import type { Port, Ports } from '@dramaturg/compiler';
import { HostError, memoryPorts, understudyPorts } from '@dramaturg/host';
import { callToolPort } from '@dramaturg/langchain';
import type { Host } from '../../../host.ts';
import { agentsWithModel, type ModelOptions, portsOfModel } from '../../model.ts';
import { agentsPort, loadCrew, understudyAgents } from '../../workflow/agents.ts';
import type { Complete } from '../../workflow/run-workflow.ts';

interface Answering extends ModelOptions {
  /** A module. */
  readonly agents?: string | undefined;
  /** Of the store. */
  readonly folder: string;
}

/** Who answers the charts of a host: a model or the understudy, and the agents and tools of a module if there is one. */
export async function portsWith(
  { agents: module, folder, ...options }: Answering,
  host: () => Host,
): Promise<Partial<Ports>> {
  const crew = module === undefined ? undefined : await loadCrew(module);
  const model = await portsOfModel(options, crew?.tools);
  const run = model ? agentsWithModel(model, crew) : crew ? agentsPort(crew) : understudyAgents;
  const runAgent: Port<'runAgent'> = async (call, { signal }) =>
    run(call, { signal, complete: completeFor(call.key, host) });
  return {
    ...understudyPorts(),
    ...model,
    ...memoryIn(folder),
    ...(crew && { callTool: callToolPort(crew) }),
    runAgent,
  };
}

/** Memory beside the store. It is read at the first call: by then nobody else has the store. */
function memoryIn(folder: string): Pick<Ports, 'recall' | 'remember'> {
  let opened: ReturnType<typeof memoryPorts> | undefined;
  const memory = () => (opened ??= memoryPorts({ file: join(folder, 'memory.json') }));
  return {
    recall: (input, call) => memory().recall(input, call),
    remember: (input, call) => memory().remember(input, call),
  };
}

/** Completes a task of the instance that has made a call: its id is what the key begins with. */
function completeFor(key: string, host: () => Host): Complete {
  return (event) => void complete(key, event, host());
}

async function complete(key: string, event: Parameters<Complete>[0], host: Host): Promise<void> {
  // An id may have slashes of its own, as the rest of the key has.
  for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
    try {
      await host.send(key.slice(0, end), event);
      return;
    } catch (error) {
      if (error instanceof HostError && error.code === 'host/unknown-instance') continue;
      process.stderr.write(`dramaturg: completing a task failed: ${String(error)}\n`);
      return;
    }
  }
}
