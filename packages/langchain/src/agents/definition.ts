import {
  agentRoleOf,
  isRecord,
  type Json,
  type Port,
  PortError,
  type PortName,
  type Ports,
  providePorts,
  waitingTag,
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
  const role = agentRoleOf(machine);
  const fields = role ? role.input(input, {}) : { input };
  const given = { [converses ? 'conversation' : 'id']: key, ...fields };
  const own: Partial<Ports> = { timer: realClock().timer, requestDecision: nobodyDecides(agent) };
  const provided = counted({ ...own, ...ports }, spending);
  return resultOf(await outputOf(machine, provided, given, { agent, signal }));
}

function outputOf(
  machine: AnyStateMachine,
  ports: Partial<Ports>,
  input: object,
  { agent, signal }: Pick<AgentCall, 'agent' | 'signal'>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const watched = whenIdle(ports, () => {
      if (actor.getSnapshot().status === 'active') leave(waits(agent, 'an event', 'hears of none'));
    });
    const actor = createActor(providePorts(machine, watched), { input });
    const leave = (because: unknown) => {
      // A stopped actor also says that it is complete.
      reject(because);
      actor.stop();
    };
    const stop = () => leave(signal.reason);
    actor.subscribe({
      next: (snapshot) => {
        if (!snapshot.hasTag(waitingTag) || snapshot.status !== 'active') return;
        leave(waits(agent, 'a person', 'has nobody to talk to'));
      },
      complete: () => resolve(actor.getSnapshot().output),
      error: reject,
    });
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    actor.start();
  });
}

function waits(agent: string, what: string, why: string): Error {
  return new Error(
    `The agent "${agent}" waits for ${what}, and an agent ${why}: start it on a host instead.`,
  );
}

/** The ports, and when none of them is asked any more: what still runs then goes on by an event from outside. */
function whenIdle(ports: Partial<Ports>, tell: () => void): Partial<Ports> {
  let open = 0;
  // An answer that has come leads to the next call before that.
  const look = () => setImmediate(() => open === 0 && tell());
  look();
  return wrapped(ports, async (ask) => {
    open += 1;
    try {
      return await ask();
    } finally {
      open -= 1;
      look();
    }
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
  return wrapped(ports, async (ask) => {
    try {
      const output = await ask();
      if ('usage' in output && output.usage) spending.add(output.usage);
      return output;
    } catch (error) {
      if (error instanceof PortError && error.usage) spending.add(error.usage);
      throw error;
    }
  });
}

type Ask = () => ReturnType<Port<PortName>>;

function wrapped(ports: Partial<Ports>, around: (ask: Ask) => ReturnType<Port<PortName>>) {
  const entries = Object.entries(ports) as [PortName, Port<PortName>][];
  return Object.fromEntries(
    entries.map(([name, port]) => {
      const asked: Port<PortName> = (input, call) => around(() => port(input, call));
      return [name, asked];
    }),
  );
}
