import {
  isRecord,
  type Json,
  type Port,
  PortError,
  type PortName,
  type Ports,
  providePorts,
} from '@dramaturg/compiler';
import { waitingTag } from '@dramaturg/compiler/chart';
import { agentRoleOf } from '@dramaturg/compiler/machine';
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
 * Runs a definition as an agent, in memory, with these ports. It stops when the call is aborted. A call that is repeated
 * after a crash runs it from the beginning.
 *
 * @returns the output of the workflow or conversation
 * @throws the failure of the workflow
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
  const machineInput = { [converses ? 'conversation' : 'id']: key, ...fields };
  const own: Partial<Ports> = { timer: realClock().timer, requestDecision: refuseDecision(agent) };
  const provided = counted({ ...own, ...ports }, spending);
  return resultOf(await outputOf(machine, provided, machineInput, { agent, signal }));
}

function outputOf(
  machine: AnyStateMachine,
  ports: Partial<Ports>,
  input: object,
  { agent, signal }: Pick<AgentCall, 'agent' | 'signal'>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const watched = whenIdle(ports, () => {
      if (actor.getSnapshot().status === 'active')
        leave(waits(agent, 'an event', 'receives no events'));
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
        leave(waits(agent, 'a person', 'cannot talk to anyone'));
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
    `The agent "${agent}" waits for ${what}, but a definition that runs as an agent ${why}. Start it on a host instead.`,
  );
}

/** Calls `onIdle` when no call of these ports is open: then only an event from outside can continue the machine. */
function whenIdle(ports: Partial<Ports>, onIdle: () => void): Partial<Ports> {
  let open = 0;
  // The machine handles an answer, and may make its next call, before `setImmediate` runs.
  const check = () => setImmediate(() => open === 0 && onIdle());
  check();
  return wrapped(ports, async (ask) => {
    open += 1;
    try {
      return await ask();
    } finally {
      open -= 1;
      check();
    }
  });
}

/** Unwraps the output of a workflow. The output of a conversation has no status. */
function resultOf(output: unknown): unknown {
  if (!isRecord(output) || typeof output['status'] !== 'string') return output;
  if (output['status'] === 'succeeded') return output['output'];
  const { error, cause } = output;
  throw Object.assign(new Error(String(cause ?? error)), { error, cause });
}

function refuseDecision(agent: string): Port<'requestDecision'> {
  return ({ prompt }) => {
    throw new PortError(
      'port/failed',
      'requestDecision',
      `The agent "${agent}" asks for a decision (${JSON.stringify(prompt)}), but a definition that runs as an agent cannot ask a person. Start it on a host instead.`,
    );
  };
}

/** Adds the usage of all calls of the ports to `spending`. */
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
      const wrapper: Port<PortName> = (input, call) => around(() => port(input, call));
      return [name, wrapper];
    }),
  );
}
