import {
  type EventObject,
  isRecord,
  type Json,
  listen,
  type Port,
  PortError,
  type PortName,
  type Ports,
  providePorts,
} from '@dramaturg/compiler';
import { waitingTag } from '@dramaturg/compiler/chart';
import { agentRoleOf, portsWithin } from '@dramaturg/compiler/machine';
import { realClock } from '@dramaturg/host';
import { isMetered } from '@dramaturg/host/engine';
import { type AnyStateMachine, createActor } from 'xstate';
import type { Spending } from '../model/asking.ts';
import type { AgentCall, AgentDefinition } from './agent.ts';

interface Budget {
  readonly tokens: number;
  readonly cost: number;
}

interface Watch {
  readonly remaining: () => Budget;
  readonly onEvent: (event: EventObject) => void;
}

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
  const { agent, key } = call;
  if (machine === undefined) {
    const because = diagnostics.find(({ severity }) => severity === 'error')?.message ?? '';
    throw new Error(`The definition of the agent "${agent}" has errors: ${because}`);
  }
  const converses = machine.events.includes('message.received');
  const role = agentRoleOf(machine);
  const fields = role ? role.input(input, {}) : { input };
  const machineInput = { [converses ? 'conversation' : 'id']: key, ...fields };
  const own: Partial<Ports> = { timer: realClock().timer, requestDecision: refuseDecision(agent) };
  const provided = counted({ ...own, ...portsWithin(ports, call.tools) }, spending);
  return resultOf(
    await outputOf(machine, provided, machineInput, call, {
      remaining: () => budgetAfter(call, spending),
      onEvent: (event) => countReported(event, spending),
    }),
  );
}

function outputOf(
  machine: AnyStateMachine,
  ports: Partial<Ports>,
  input: object,
  { agent, signal }: AgentCall,
  { remaining, onEvent }: Watch,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const limited = wrapped(ports, async (ask, name) => {
      const budget = remaining();
      if (!isMetered(name) || (budget.tokens > 0 && budget.cost > 0)) return ask(budget);
      const usedUp = budgetUsedUp(agent);
      leave(usedUp);
      throw usedUp;
    });
    const watched = whenIdle(limited, () => {
      if (actor.getSnapshot().status === 'active')
        leave(waits(agent, 'an event', 'receives no events'));
    });
    const actor = createActor(providePorts(machine, watched), { input, ...listen(onEvent) });
    const leave = (because: unknown) => {
      // A stopped actor also reports completion, so it is rejected first.
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

/** The remaining budget after the calls so far. Absent fields are unlimited. */
function budgetAfter({ left = {} }: Pick<AgentCall, 'left'>, { usage }: Spending): Budget {
  const { inputTokens = 0, outputTokens = 0, cost = 0 } = usage ?? {};
  const { tokens: tokensMax = Infinity, cost: costMax = Infinity } = left;
  return { tokens: tokensMax - inputTokens - outputTokens, cost: costMax - cost };
}

/** Limits the budget of an agent to the remaining budget around it. */
function withinBudget({ left = {} }: Pick<AgentCall, 'left'>, around: Budget): AgentCall['left'] {
  const tokens = Math.min(left.tokens ?? Infinity, around.tokens);
  const cost = Math.min(left.cost ?? Infinity, around.cost);
  if (tokens + cost === Infinity && tokens === cost) return undefined;
  return { ...(tokens < Infinity && { tokens }), ...(cost < Infinity && { cost }) };
}

function budgetUsedUp(agent: string): Error {
  const message = `The agent "${agent}" has used up its budget, and needs another call.`;
  return Object.assign(new Error(message), { error: 'States.BudgetExceeded' });
}

/** Counts the usage that functions report in their results, which have no port. Tokens without a direction count as output tokens. */
function countReported({ type, port, ...used }: EventObject, spending: Spending): void {
  if (type !== 'usage.recorded' || port !== undefined) return;
  const { tokens, inputTokens = 0, outputTokens = tokens, cost = 0 } = used as unknown as Reported;
  spending.add({ requests: 0, inputTokens, outputTokens, cost });
}

interface Reported {
  readonly tokens: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cost?: number;
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

type Answer = ReturnType<Port<PortName>>;
/** @param budget what an agent may use */
type Ask = (budget?: Budget) => Answer;

function wrapped(
  ports: Partial<Ports>,
  around: (ask: Ask, name: PortName) => Answer,
): Partial<Ports> {
  const entries = Object.entries(ports) as [PortName, Port<PortName>][];
  return Object.fromEntries(
    entries.map(([name, port]) => {
      const wrapper: Port<PortName> = (input, call) =>
        around((budget) => {
          const left =
            budget && name === 'runAgent' ? withinBudget(input as never, budget) : undefined;
          return port(left ? { ...input, left } : input, call);
        }, name);
      return [name, wrapper];
    }),
  );
}
