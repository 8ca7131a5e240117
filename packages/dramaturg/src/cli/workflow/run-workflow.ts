import { asl, type WorkflowEmitted, type WorkflowEvent, type WorkflowOutput } from '@dramaturg/asl';
import {
  agentEnded,
  type AgentEnding,
  type Chart,
  type Compiled,
  type Decision,
  type EventObject,
  type Json,
  type JsonObject,
  link,
  listen,
  type PortInput,
  type PortOutput,
  type Ports,
  providePorts,
  type Usage,
} from '@dramaturg/compiler';
import {
  type Clock,
  limitPorts,
  type Limits,
  memoryPorts,
  type Recording,
  understudyPorts,
} from '@dramaturg/host';
import { createActor } from 'xstate';
import { definitionOf } from '../../host.ts';
import type { Person } from '../conversation/person.ts';
import type { Live } from '../inspect/live.ts';
import { understudyAgents } from './agents.ts';
import { Left } from './remaining-budget.ts';
import type { WorkflowView } from './view.ts';

/** Completes a task from outside, by its token. */
export type Complete = (event: WorkflowEvent) => void;

/** Answers the calls of agents. */
export type AgentsPort = (
  call: PortInput<'runAgent'>,
  use: { readonly signal: AbortSignal; readonly complete: Complete },
) => Promise<{ readonly result: Json; readonly usage?: Usage }>;

export interface WorkflowRun {
  readonly chart: Chart;
  /** Those that it runs as agents, by name. */
  readonly definitions: ReadonlyMap<string, { readonly compiled: Compiled }>;
  /** Of the actor: a `WorkflowInput`. */
  readonly input: JsonObject;
  readonly clock: Clock;
  /** Who does the work; the understudy when left out. */
  readonly agents?: AgentsPort;
  /** Who answers what else is asked; the understudy what is left. */
  readonly ports?: Partial<Ports>;
  /** Who decides on approvals; called for when there is something to decide. */
  readonly person: () => Person;
  readonly view: WorkflowView;
  readonly stop: AbortSignal;
  readonly recording: Recording;
  readonly limits: Limits;
  /** Looks on. */
  readonly live?: Live | undefined;
}

/**
 * Runs a workflow until it ends, or until nothing moves any more.
 *
 * @returns undefined when it has not come to its end: it waits for somebody who is not here
 */
export async function runWorkflow(run: WorkflowRun): Promise<WorkflowOutput | undefined> {
  const { chart, clock, person, view, recording, live } = run;
  const world = recording.world(clock.world);
  const machineOf = (of: Chart) =>
    live
      ? link(of, live.watched(asl.behaviour), { world, fuse: false })
      : link(of, asl.behaviour, { world });
  let decided: Promise<void> = Promise.resolve();
  const askAgent = run.agents ?? understudyAgents;
  /** Workflows that run within this one, by what the keys of their calls begin with. */
  const nested = new Map<string, { readonly send: (event: EventObject) => void }>();
  const tell = recording.events(({ run: id, ...event }: EventObject) =>
    (nested.get(String(id)) ?? actor).send(event as WorkflowEvent),
  );
  const completing =
    (id?: string): Complete =>
    (event) =>
      tell(id === undefined ? event : { ...event, run: id });
  const given = {
    ...understudyPorts(),
    ...run.ports,
    ...memoryPorts({ clock }),
    timer: clock.timer,
    runAgent: (call, { signal }) =>
      askAgent(call, { signal, complete: completing(runOf(call.key)) }),
    requestDecision: ({ key }, { signal }) =>
      decision(person, view, signal, live?.decisions.made(key)),
  } satisfies Partial<Ports>;
  // Refusals are part of what is recorded: a replay has them, whatever limits there are then.
  const recorded = recording.ports(limitPorts(given, run.limits));
  const ports: Partial<Ports> = {
    ...recorded,
    // One question at a time: several approvals may be open at once.
    requestDecision: (question, call) => {
      const close = live?.decisions.open(question);
      const turn = Promise.race([decided, ...(live ? [live.decisions.made(question.key)] : [])]);
      const answer = turn.then((onPage) => {
        const ids = question.options.map(({ id }) => id);
        if (!onPage) view.ask(question.prompt, ids);
        return recorded.requestDecision(question, call);
      });
      void Promise.allSettled([answer]).then(close);
      decided = Promise.allSettled([decided, answer]).then(() => undefined);
      return answer;
    },
    // What runs within is no answer from outside: its own calls are.
    runAgent: (call, use) => {
      const name = definitionOf(call.agent);
      const definition = name === undefined ? undefined : run.definitions.get(name);
      return definition
        ? runNested(name!, definition.compiled, call, use.signal)
        : recorded.runAgent(call, use);
    },
  };
  /** Runs a definition as an agent: its steps are shown with those of the workflow that runs it. */
  const runNested = async (
    name: string,
    { chart: inner, format }: Compiled,
    call: PortInput<'runAgent'>,
    signal: AbortSignal,
  ): Promise<PortOutput<'runAgent'>> => {
    if (format !== asl.name) throw notHere(call.agent);
    const depth = call.key.split(within).length;
    if (depth > deepestNesting) throw tooDeep(call.agent);
    const begun = asl.behaviour.agent!.input(call.input, {});
    const id = `${call.key}${within}`;
    const left = new Left(call);
    let ended: AgentEnding | undefined;
    const inside = createActor(providePorts(machineOf({ ...inner!, id: name }), ports), {
      input: { ...begun, id },
      ...listen((event) => {
        if (event.type !== 'workflow.ended') view.see(event as unknown as WorkflowEmitted, depth);
        if (event.type === 'task.scheduled') void workOn(event as never, askAgent, completing(id));
        const over = left.after(event);
        ended ??= over;
        // The step in which it was used comes to its end first: it may be the last.
        if (ended) queueMicrotask(stop);
      }),
    });
    nested.set(id, inside);
    live?.attach(inside);
    const stop = () => inside.stop();
    signal.addEventListener('abort', stop, { once: true });
    return new Promise((resolve, reject) => {
      inside.subscribe({
        complete: () => {
          signal.removeEventListener('abort', stop);
          nested.delete(id);
          const { status, output } = inside.getSnapshot();
          if (status === 'done') ended = asl.behaviour.agent!.ending(output as Json);
          const answer = ended && agentEnded({ ...ended, usage: left.usage });
          if (!answer) return;
          if ('error' in answer) reject(answer.error);
          else resolve(answer.output as PortOutput<'runAgent'>);
        },
        error: reject,
      });
      inside.start();
    });
  };
  const actor = createActor(providePorts(machineOf(chart), ports), {
    input: run.input,
    ...listen((event) => {
      view.see(event as unknown as WorkflowEmitted);
      if (event.type === 'task.scheduled') void workOn(event as never, askAgent, completing());
    }),
  });
  live?.attach(actor);
  const stop = recording.stops(run.stop);
  const ending = new Promise<WorkflowOutput | undefined>((resolve, reject) => {
    const leave = () => {
      actor.stop();
      resolve(undefined);
    };
    if (stop.aborted) return leave();
    stop.addEventListener('abort', leave, { once: true });
    // Nothing is left that could wake the workflow.
    process.once('beforeExit', leave);
    actor.subscribe({
      complete: () => {
        process.off('beforeExit', leave);
        resolve(actor.getSnapshot().output as WorkflowOutput);
      },
      error: reject,
    });
    actor.start();
  });
  try {
    return await ending;
  } finally {
    // Of a replay that has gone another way this tells the first difference, and any failure follows from it.
    await recording.finish();
  }
}

/** Parts the keys of a run from those of the one that runs it. */
const within = '/~';

/** The run that has made a call, unless it is the outermost. */
function runOf(key: string): string | undefined {
  const at = key.lastIndexOf(within);
  return at < 0 ? undefined : key.slice(0, at + within.length);
}

/** Workflows that run one another: deeper ones go round in a circle. */
const deepestNesting = 16;

function tooDeep(agent: string): Error {
  const cause = `Definitions run one another ${deepestNesting} deep. Does "${agent}" run itself?`;
  return Object.assign(new Error(cause), { error: 'States.NestingLimitExceeded', cause });
}

function notHere(agent: string): Error {
  const cause = `"${agent}" is no workflow, and "dramaturg run" runs only workflows within a workflow: start it in a store, with "dramaturg start", which finds the conversation or lifecycle in a file beside that of the workflow.`;
  return Object.assign(new Error(cause), { error: 'States.AgentNotFound', cause });
}

/** A worker for activities: it does what an agent of the name would, and completes the task by its token. */
async function workOn(
  { token, resource, input }: WorkflowEmitted & { type: 'task.scheduled' },
  runAgent: AgentsPort,
  complete: Complete,
): Promise<void> {
  if (!/:activity:/.test(resource)) return;
  const { signal } = new AbortController();
  try {
    const { result } = await runAgent({ key: token, agent: resource, input }, { signal, complete });
    complete({ type: 'task.succeeded', token, output: result });
  } catch (thrown) {
    const {
      error = 'States.TaskFailed',
      cause,
      message,
    } = Object(thrown) as Record<string, string>;
    complete({ type: 'task.failed', token, error, cause: cause ?? message ?? '' });
  }
}

/**
 * Asks at the terminal, or reads the next line of a pipe. Never decides by itself.
 *
 * @param onPage what is decided on the inspector's page, if there is one: whoever comes first has decided
 */
async function decision(
  person: () => Person,
  view: WorkflowView,
  signal: AbortSignal,
  onPage: Promise<Decision> = new Promise(() => {}),
): Promise<Decision> {
  const early = await Promise.race([onPage, Promise.resolve()]);
  if (early) return early;
  const isDecided = new AbortController();
  const typed = person().nextLine(view.prompt, {
    signal: AbortSignal.any([signal, isDecided.signal]),
  });
  const made = await Promise.race([onPage, typed]);
  isDecided.abort();
  signal.throwIfAborted();
  if (made === undefined) return onPage;
  return typeof made === 'string' ? { decision: made.trim(), by: 'user' } : made;
}
