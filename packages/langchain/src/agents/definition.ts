import {
  isRecord,
  type Json,
  type Port,
  PortError,
  type PortName,
  type Ports,
  providePorts,
} from '@dramaturg/compiler';
import { realClock } from '@dramaturg/host';
import { type AnyStateMachine, createActor } from 'xstate';
import type { Spending } from '../model/spending.ts';
import type { AgentCall, AgentDefinition } from './agent.ts';

interface Run {
  readonly call: AgentCall;
  readonly ports: Partial<Ports>;
  readonly spending: Spending;
}

/**
 * Runs a definition as an agent, in memory: its machine with these ports, stopped with the call. Repeated after a crash
 * it begins anew.
 *
 * @returns the output of a workflow, or all that a conversation has brought
 * @throws what a workflow fails with
 */
export async function runDefinition(
  { machine, diagnostics }: AgentDefinition,
  input: Json,
  { call, ports, spending }: Run,
): Promise<unknown> {
  const { agent, key, signal } = call;
  if (machine === undefined) {
    const because = diagnostics.find(({ severity }) => severity === 'error')?.message ?? '';
    throw new Error(`The definition of the agent "${agent}" has errors: ${because}`);
  }
  const converses = machine.events.includes('message.received');
  const given = converses
    ? { conversation: key, ...(isRecord(input) ? input : {}) }
    : { id: key, input };
  const own: Partial<Ports> = { timer: realClock().timer, requestDecision: nobodyDecides(agent) };
  const provided = providePorts(machine, counted({ ...own, ...ports }, spending));
  return resultOf(await outputOf(provided, given, { agent, signal }));
}

function outputOf(
  machine: AnyStateMachine,
  input: object,
  { agent, signal }: Pick<AgentCall, 'agent' | 'signal'>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const actor = createActor(machine, { input });
    const stop = () => {
      // A stopped actor also says that it is complete.
      reject(signal.reason as Error);
      actor.stop();
    };
    actor.subscribe({
      next: (snapshot) => {
        if (!snapshot.hasTag('waiting') || snapshot.status !== 'active') return;
        reject(
          new Error(
            `The agent "${agent}" waits for a person, and an agent has nobody to talk to: start it on a host instead.`,
          ),
        );
        actor.stop();
      },
      complete: () => resolve(actor.getSnapshot().output),
      error: reject,
    });
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    actor.start();
  });
}

/** How a workflow has ended; a conversation has no status. */
function resultOf(output: unknown): unknown {
  if (!isRecord(output) || typeof output['status'] !== 'string') return output;
  if (output['status'] === 'succeeded') return output['output'];
  const { error, cause } = output;
  throw Object.assign(new Error(String(cause ?? error)), { error, cause });
}

function nobodyDecides(agent: string): Port<'requestDecision'> {
  return ({ prompt }) => {
    throw new PortError(
      'port/failed',
      'requestDecision',
      `The agent "${agent}" asks for a decision (${JSON.stringify(prompt)}), and an agent has nobody to ask: start it on a host instead.`,
    );
  };
}

/** The ports, with what their calls have cost added up. */
function counted(ports: Partial<Ports>, spending: Spending): Partial<Ports> {
  const entries = Object.entries(ports) as [PortName, Port<PortName>][];
  return Object.fromEntries(
    entries.map(([name, port]) => [
      name,
      async (input: Parameters<typeof port>[0], call: Parameters<typeof port>[1]) => {
        try {
          const output = await port(input, call);
          if ('usage' in output && output.usage) spending.add(output.usage);
          return output;
        } catch (error) {
          if (error instanceof PortError && error.usage) spending.add(error.usage);
          throw error;
        }
      },
    ]),
  );
}
