import { asl, type WorkflowEmitted, type WorkflowEvent, type WorkflowOutput } from '@dramaturg/asl';
import {
  type Chart,
  type Json,
  type JsonObject,
  link,
  listen,
  type PortInput,
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
import type { Person } from '../conversation/person.ts';
import type { Live } from '../inspect/live.ts';
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
  /** Of the actor: a `WorkflowInput`. */
  readonly input: JsonObject;
  readonly clock: Clock;
  /** Who does the work; the understudy when left out. */
  readonly agents?: AgentsPort;
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
  const machine = live
    ? link(chart, live.watched(asl.behaviour), { world, fuse: false })
    : link(chart, asl.behaviour, { world });
  let decided = Promise.resolve();
  const runAgent = run.agents ?? understudyAgents;
  const complete: Complete = recording.events((event) => actor.send(event));
  const given = {
    ...understudyPorts(),
    ...memoryPorts({ clock }),
    timer: clock.timer,
    runAgent: (call, { signal }) => runAgent(call, { signal, complete }),
    requestDecision: (_, { signal }) => decision(person, view, signal),
  } satisfies Partial<Ports>;
  // Refusals are part of what is recorded: a replay has them, whatever limits there are then.
  const recorded = recording.ports(limitPorts(given, run.limits));
  const ports: Partial<Ports> = {
    ...recorded,
    // One question at a time: several approvals may be open at once.
    requestDecision: (question, call) => {
      const answer = decided.then(() => {
        view.ask(
          question.prompt,
          question.options.map(({ id }) => id),
        );
        return recorded.requestDecision(question, call);
      });
      decided = answer.then(
        () => {},
        () => {},
      );
      return answer;
    },
  };
  const actor = createActor(providePorts(machine, ports), {
    input: run.input,
    ...listen((event) => {
      view.see(event as unknown as WorkflowEmitted);
      if (event.type === 'task.scheduled') void workOn(event as never, runAgent, complete);
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

/** Asks at the terminal, or reads the next line of a pipe. Never decides by itself. */
async function decision(
  person: () => Person,
  view: WorkflowView,
  signal: AbortSignal,
): Promise<{ decision: string; by: string }> {
  const line = await person().nextLine(view.prompt);
  signal.throwIfAborted();
  if (line === undefined) return new Promise(() => {});
  return { decision: line.trim(), by: 'user' };
}
