import {
  asl,
  type WorkflowEmitted,
  type WorkflowEvent,
  type WorkflowInput,
  type WorkflowOutput,
} from '@dramaturg/asl';
import {
  type AgentEnding,
  type Chart,
  type Compiled,
  type Json,
  link,
  listen,
  type Port,
  type PortInput,
  type Ports,
  providePorts,
} from '@dramaturg/compiler';
import { type Clock, understudyPorts } from '@dramaturg/host';
import { createActor } from 'xstate';
import { definitionOf } from '../../host.ts';
import type { Person } from '../conversation/person.ts';
import type { WorkflowView } from './view.ts';

/** Completes a task from outside, by its token. */
export type Complete = (event: WorkflowEvent) => void;

/** Answers the calls of agents. */
export type AgentsPort = (
  call: PortInput<'runAgent'>,
  use: { readonly signal: AbortSignal; readonly complete: Complete },
) => Promise<{ readonly result: Json }>;

export interface WorkflowRun {
  readonly chart: Chart;
  /** Those that it runs as agents, by name. */
  readonly definitions: ReadonlyMap<string, { readonly compiled: Compiled }>;
  readonly input: Json;
  readonly clock: Clock;
  /** Who does the work; the understudy when left out. */
  readonly agents?: AgentsPort;
  /** Who decides on approvals; called for when there is something to decide. */
  readonly person: () => Person;
  readonly view: WorkflowView;
  readonly stop: AbortSignal;
}

/**
 * Runs a workflow until it ends, or until nothing moves any more.
 *
 * @returns undefined when it has not come to its end: it waits for somebody who is not here
 */
export async function runWorkflow(run: WorkflowRun): Promise<WorkflowOutput | undefined> {
  const { chart, clock, person, view } = run;
  const machine = link(chart, asl.behaviour, { world: clock.world });
  let decided = Promise.resolve();
  const ports: Partial<Ports> = {
    ...understudyPorts(),
    timer: clock.timer,
    // One question at a time: several approvals may be open at once.
    requestDecision: (question, { signal }) => {
      const answer = decided.then(() => ask(question, person, view, signal));
      decided = answer.then(
        () => {},
        () => {},
      );
      return answer;
    },
  };
  const answer = run.agents ?? understudyAgents;
  const runAgent: AgentsPort = async (call, use) => {
    const name = definitionOf(call.agent);
    const nested = name === undefined ? undefined : run.definitions.get(name);
    return nested ? runNested(nested.compiled, call, use.signal) : answer(call, use);
  };
  /** Runs a definition as an agent: its steps are shown with those of the workflow that runs it. */
  const runNested = async (
    { chart: inner, format }: Compiled,
    call: PortInput<'runAgent'>,
    signal: AbortSignal,
  ): Promise<AgentEnding & { result: Json }> => {
    if (format !== asl.name) throw notHere(call.agent);
    const depth = call.key.split(within).length;
    if (depth > deepestNesting) throw tooDeep(call.agent);
    const begun = asl.behaviour.agent!.input(call.input, {});
    const actor = createActor(
      providePorts(link(inner!, asl.behaviour, { world: clock.world }), {
        ...ports,
        runAgent: (more, use) =>
          runAgent(more, { signal: use.signal, complete: (event) => actor.send(event) }),
      }),
      {
        input: { ...begun, id: `${call.key}${within}` },
        ...listen((event) => {
          if (event.type !== 'workflow.ended') view.see(event as unknown as WorkflowEmitted, depth);
        }),
      },
    );
    const stop = () => actor.stop();
    signal.addEventListener('abort', stop, { once: true });
    return new Promise((resolve, reject) => {
      actor.subscribe({
        complete: () => {
          signal.removeEventListener('abort', stop);
          const { status, output } = actor.getSnapshot();
          if (status !== 'done') return;
          const ending = asl.behaviour.agent!.ending(output as Json);
          if ('error' in ending) reject(Object.assign(new Error(ending.cause), ending));
          else resolve(ending);
        },
        error: reject,
      });
      actor.start();
    });
  };
  const complete: Complete = (event) => actor.send(event);
  const actor = createActor(
    providePorts(machine, {
      ...ports,
      runAgent: (call, { signal }) => runAgent(call, { signal, complete }),
    }),
    {
      input: { input: run.input } satisfies WorkflowInput,
      ...listen((event) => {
        view.see(event as unknown as WorkflowEmitted);
        if (event.type === 'task.scheduled') void workOn(event as never, runAgent, complete);
      }),
    },
  );
  return new Promise((resolve, reject) => {
    const leave = () => {
      actor.stop();
      resolve(undefined);
    };
    run.stop.addEventListener('abort', leave, { once: true });
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
}

/** Parts the keys of a run from those of the one that runs it. */
const within = '/~';

/** Workflows that run one another: deeper ones go round in a circle. */
const deepestNesting = 16;

function tooDeep(agent: string): Error {
  const cause = `Definitions run one another ${deepestNesting} deep. Does "${agent}" run itself?`;
  return Object.assign(new Error(cause), { error: 'States.NestingLimitExceeded', cause });
}

function notHere(agent: string): Error {
  const cause = `"${agent}" holds a conversation, which "dramaturg run" does not do within a workflow: start the workflow in a store, with "dramaturg start".`;
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

/** Nobody has written the agents yet: each hands its input back, so that the way through the workflow can be seen. */
const understudyAgents: AgentsPort = async ({ input }) => ({ result: input });

type Question = Parameters<Port<'requestDecision'>>[0];

/** Asks at the terminal, or reads the next line of a pipe. Never decides by itself. */
async function ask(
  { prompt, options }: Question,
  person: () => Person,
  view: WorkflowView,
  signal: AbortSignal,
): Promise<{ decision: string; by: string }> {
  view.ask(
    prompt,
    options.map(({ id }) => id),
  );
  const line = await person().nextLine(view.prompt);
  signal.throwIfAborted();
  if (line === undefined) return new Promise(() => {});
  return { decision: line.trim(), by: 'user' };
}
