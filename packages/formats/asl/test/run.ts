import {
  compile,
  type Json,
  type JsonObject,
  link,
  listen,
  type Port,
  type PortInput,
  type PortName,
  type Ports,
  providePorts,
} from '@dramaturg/compiler';
import {
  breakCircuits,
  limitToolCalls,
  memoryPorts,
  spendingPorts,
  virtualClock,
} from '@dramaturg/testing';
import { type AnyActor, createActor, type Snapshot } from 'xstate';
import {
  asl,
  type WorkflowEmitted,
  type WorkflowEvent,
  type WorkflowInput,
  type WorkflowOutput,
} from '../src/index.ts';

/** Does the work of a Task in a test. Throw `failure(...)` to fail it by name. */
// oxlint-disable-next-line typescript/no-explicit-any -- Each agent of a test knows its input.
export type Agent = (input: any, call: AgentCall) => Json | Promise<Json>;

/** The rest of the call, and how often this agent was called. */
export type AgentCall = Omit<PortInput<'runAgent'>, 'agent' | 'input'> & {
  calls: number;
  heartbeat?: (() => void) | undefined;
  /** Lets time pass. */
  works?: (seconds: number) => Promise<unknown>;
};

interface Running {
  readonly send: (event: WorkflowEvent) => void;
}

export interface RunOptions {
  readonly input?: Json;
  readonly agents?: Readonly<Record<string, Agent>>;
  /** Answers an Approval; undefined leaves it open. */
  readonly decide?: (question: PortInput<'requestDecision'>) => JsonObject | undefined;
  /** Ports that replace the agents and the person above, or add to them. */
  readonly ports?: Partial<Ports>;
  readonly start?: Omit<WorkflowInput, 'input'>;
  readonly options?: JsonObject;
  readonly fuse?: boolean;
  /** The process crashes at the first call of every port, and continues from the stored snapshot. */
  readonly recover?: boolean;
  /** Completes a task that waits for its token, after a second. */
  readonly worker?: (actor: Running, event: WorkflowEmitted & { type: 'task.scheduled' }) => void;
  /** Events that are sent when the workflow is idle. */
  readonly onceStill?: (actor: Running, events: readonly WorkflowEmitted[]) => void;
}

export interface Ran {
  /** Undefined when the run has not ended. */
  readonly output: WorkflowOutput | undefined;
  readonly events: readonly WorkflowEmitted[];
  /** The calls of agents, in order. */
  readonly calls: readonly PortInput<'runAgent'>[];
  /** The duration of the run in seconds. */
  readonly seconds: number;
  readonly actor: AnyActor;
}

/** 10:30 on 20 January 2026, as in the recorded runs of the upstream engine. */
export const startAt = Date.UTC(2026, 0, 20, 10, 30);

/** Compiles a workflow and runs it on a virtual clock until it ends or is idle. */
export async function run(definition: JsonObject, given: RunOptions = {}): Promise<Ran> {
  const compiled = compile(JSON.stringify(definition), {
    formats: [asl],
    format: 'asl',
    options: given.options,
  });
  if (!compiled.chart) {
    const found = compiled.diagnostics.map(({ code, message }) => `${code}: ${message}`);
    throw new Error(`The workflow does not compile:\n${found.join('\n')}`);
  }
  const clock = virtualClock({ startAt });
  const machine = link(compiled.chart, asl.behaviour, {
    world: clock.world,
    ...(given.fuse !== undefined && { fuse: given.fuse }),
  });
  const calls: PortInput<'runAgent'>[] = [];
  const counts = new Map<string, number>();
  const events: WorkflowEmitted[] = [];
  const answer: Partial<Ports> = {
    ...memoryPorts({ clock }),
    ...spendingPorts({ clock, pools: { small: 1 } }),
    timer: clock.timer,
    runAgent: async (call, { heartbeat, signal }) => {
      calls.push(call);
      const agent = given.agents?.[call.agent];
      if (!agent) throw failure('States.AgentNotFound', `There is no agent "${call.agent}".`);
      const count = (counts.get(call.agent) ?? 0) + 1;
      counts.set(call.agent, count);
      const { agent: _, input, ...rest } = call;
      const works = async (seconds: number) => {
        const at = clock.now() + seconds * 1000;
        return clock.timer({ key: `${call.key}/works/${at}`, at }, { signal, onText: () => {} });
      };
      return { result: await agent(input, { ...rest, calls: count, heartbeat, works }) };
    },
    requestDecision: async (question, { signal }) => {
      const decision = given.decide?.(question);
      if (decision) return decision as never;
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
    ...given.ports,
  };
  const guarded = {
    ...answer,
    runAgent: breakCircuits(answer.runAgent!, clock.now),
    ...(answer.callTool && { callTool: limitToolCalls(answer.callTool) }),
  };
  let thrown: unknown;
  let actor: AnyActor;
  const soon = (work: () => void) =>
    void clock.busy(new Promise<void>((resolve) => setImmediate(() => resolve(work()))));
  const ports = given.recover
    ? interrupted(guarded, () => soon(() => begin(stored(actor))))
    : guarded;
  const begin = (snapshot?: Snapshot<unknown>) => {
    actor = createActor(providePorts(machine, ports), {
      ...(snapshot
        ? { snapshot }
        : { input: { ...given.start, ...(given.input !== undefined && { input: given.input }) } }),
      ...listen((event) => {
        events.push(event as unknown as WorkflowEmitted);
        if (event.type === 'task.scheduled' && given.worker) {
          void clock.advanceTo(clock.now() + 1000).then(() => given.worker!(actor, event as never));
        }
      }),
    });
    actor.subscribe({ error: (error) => (thrown = error) });
    actor.start();
  };
  begin();
  await clock.settled();
  if (given.onceStill) {
    given.onceStill(actor!, events);
    await clock.settled();
  }
  if (thrown !== undefined) throw thrown as Error;
  const snapshot = actor!.getSnapshot();
  return {
    output: snapshot.output as WorkflowOutput | undefined,
    events,
    calls,
    seconds: (clock.now() - startAt) / 1000,
    actor: actor!,
  };
}

/** The snapshot of an actor as JSON, as it survives a crash. */
function stored(actor: AnyActor): Snapshot<unknown> {
  const snapshot = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as Snapshot<unknown>;
  actor.stop();
  return snapshot;
}

/** Ports whose first call never answers, because the process crashes. */
function interrupted(ports: Partial<Ports>, crash: () => void): Partial<Ports> {
  const reached = new Set<string>();
  let crashes = false;
  const interrupt =
    (port: Port<PortName>): Port<PortName> =>
    async (input, call) => {
      if (reached.has(input.key)) return port(input, call);
      reached.add(input.key);
      // Calls made at once are lost in the same crash.
      if (!crashes) {
        crashes = true;
        queueMicrotask(() => {
          crashes = false;
          crash();
        });
      }
      return new Promise(() => {});
    };
  return Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [name, interrupt(port as Port<PortName>)]),
  );
}

/** The output of a run that must succeed. */
export async function outputOf(definition: JsonObject, options?: RunOptions): Promise<Json> {
  const { output } = await run(definition, options);
  if (output?.status !== 'succeeded')
    throw new Error(`It did not succeed: ${JSON.stringify(output)}`);
  return output.output;
}

/** The error that an agent throws to fail its task by name. */
export function failure(error: string, cause = ''): Error {
  return Object.assign(new Error(cause), { error, cause });
}

/** A workflow that runs its states in their order. */
export function chain(states: Readonly<Record<string, JsonObject>>): JsonObject {
  const names = Object.keys(states);
  return {
    StartAt: names[0]!,
    States: Object.fromEntries(
      names.map((name, index) => [
        name,
        { ...states[name], ...leadOf(states[name]!, names[index + 1]) },
      ]),
    ),
  };
}

const leadless: ReadonlySet<Json | undefined> = new Set(['Choice', 'Succeed', 'Fail']);

function leadOf(state: JsonObject, next: string | undefined): JsonObject {
  if (leadless.has(state['Type']) || 'Next' in state || 'End' in state) return {};
  return next === undefined ? { End: true } : { Next: next };
}

/** A workflow of one state. */
export function only(state: JsonObject): JsonObject {
  return chain({ S: state });
}

export function task(...parts: JsonObject[]): JsonObject {
  return Object.assign({ Type: 'Task', Agent: 'A' }, ...parts);
}

export function pass(...parts: JsonObject[]): JsonObject {
  return Object.assign({ Type: 'Pass' }, ...parts);
}

/** A definition without an agent is recognised as Amazon's, so the dialect has to be explicit. */
export const agentDialect = { options: { dialect: 'agent' } } as const;
export const echo: Agent = (input: Json) => input;
