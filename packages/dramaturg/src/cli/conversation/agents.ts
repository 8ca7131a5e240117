import { setTimeout as pause } from 'node:timers/promises';
import type { Compiled, Port, PortInput } from '@dramaturg/compiler';
import { memoryStore } from '@dramaturg/host';
import { createHost, definitionOf } from '../../host.ts';
import { type DefinitionFile, nestedDefinitions } from '../definition-file.ts';
import type { AgentsPort } from '../workflow/agents-port.ts';

/** Milliseconds between two checks of a workflow. */
const lookEveryMs = 20;

/**
 * Does the tasks of agents in a conversation in the terminal: a workflow in its folder runs on a host in memory.
 *
 * @param played does all other tasks
 */
export async function agentsOf(
  compiled: Compiled,
  file: string,
  played: AgentsPort,
): Promise<Port<'runAgent'>> {
  const nested = await nestedDefinitions(compiled, file, {});
  const others: Port<'runAgent'> = (call, { signal, onText, heartbeat = () => {} }) =>
    played(call, { signal, onText, heartbeat, complete: () => {} });
  return async (call, use) => {
    const name = definitionOf(call.agent);
    return name !== undefined && nested.has(name)
      ? { result: await run(name, nested, call, others, use.signal) }
      : others(call, use);
  };
}

async function run(
  name: string,
  nested: ReadonlyMap<string, DefinitionFile>,
  { agent, input }: PortInput<'runAgent'>,
  runAgent: Port<'runAgent'>,
  signal: AbortSignal,
) {
  const compiled = Array.from(nested, ([key, each]) => [key, each.compiled] as const);
  if (nested.get(name)!.compiled.kind !== 'workflow')
    throw onlyOnHosts(agent, 'talks with the contact');
  const host = await createHost({
    store: memoryStore(),
    definitions: Object.fromEntries(compiled),
    ports: { runAgent },
  });
  try {
    const { id } = await host.start(name, { input: { input } });
    for (;;) {
      const { ended, output, failure, decisions } = await host.get(id);
      if (ended && failure)
        throw new Error([failure.error, failure.cause].filter(Boolean).join(': '));
      if (ended) return output ?? null;
      if (decisions.length > 0) throw onlyOnHosts(agent, 'waits for a decision');
      await pause(lookEveryMs, undefined, { signal });
    }
  } finally {
    await host.stop({ within: 0 });
  }
}

function onlyOnHosts(agent: string, because: string): Error {
  return new Error(`"${agent}" ${because}, which needs a host: start it with "dramaturg start".`);
}
