import {
  type Chart,
  type Compiled,
  type EventObject,
  isRecord,
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
import type { workflow } from '@dramaturg/compiler/format';
import {
  agentEnded,
  type AgentEnding,
  type Behaviour,
  costToCount,
  type CountedCost,
  type Decision,
  nestingExceeded,
  nestingMax,
  portsWithin,
  type Question,
  readDecision,
  requireEnforced,
  sumOfCounted,
  toolNamesOnly,
} from '@dramaturg/compiler/machine';
import { visible } from '@dramaturg/compiler/text';
import {
  breakCircuits,
  type Clock,
  limitPorts,
  type Limits,
  limitToolCalls,
  memoryPorts,
  type Recording,
  spendingPorts,
  streamCallbacks,
} from '@dramaturg/host';
import type { McpTools } from '@dramaturg/mcp';
import { understudyPorts } from '@dramaturg/understudy';
import { CommanderError } from 'commander';
import { createActor } from 'xstate';
import { behaviours, definitionOf } from '../../host.ts';
import type { Person } from '../conversation/person.ts';
import { decisionGiven, type DecisionOptions, withDecisionOptions } from '../decision.ts';
import type { Live } from '../inspect/live.ts';
import { UsageError } from '../usage-error.ts';
import { AgentError, type AgentsPort, type Complete } from './agents-port.ts';
import type { WorkflowView } from './view.ts';
import { Command } from '../command.ts';

export interface WorkflowRun {
  readonly chart: Chart;
  /** The definitions that it runs as agents, by name. */
  readonly definitions: ReadonlyMap<string, { readonly compiled: Compiled }>;
  /** The input of the actor: a `WorkflowInput`. */
  readonly input: JsonObject;
  readonly clock: Clock;
  readonly agents: AgentsPort;
  /** A dry run: each agent returns its input. */
  readonly isDry: boolean;
  /** Tools of MCP servers. */
  readonly mcp: McpTools | undefined;
  /** Other ports; the understudy plays the missing ones. */
  readonly ports?: Partial<Ports>;
  /** Decides on approvals. Called at the first decision. */
  readonly person: () => Person;
  readonly view: WorkflowView;
  readonly stop: AbortSignal;
  readonly recording: Recording;
  readonly limits: Limits;
  /** The sizes of pools. */
  readonly pools: Readonly<Record<string, number>>;
  readonly live?: Live | undefined;
}

/**
 * Runs a workflow until it ends, or until nothing can continue it.
 *
 * @returns undefined when it waits for a person or a token that this run does not have
 */
export async function runWorkflow(run: WorkflowRun): Promise<workflow.WorkflowOutput | undefined> {
  const { chart, clock, person, view, recording, live } = run;
  const world = recording.world(clock.world);
  const machineOf = (of: Chart) =>
    live
      ? link(of, live.watched(behaviourOf(of)), { world, fuse: false })
      : link(of, behaviourOf(of), { world });
  /** Resolves when the last decision that was asked for has been taken. */
  let decided: Promise<void> = Promise.resolve();
  const askAgent = run.agents;
  /** The nested workflows that are running, by the prefix of the keys of their calls. */
  const nested = new Map<string, { readonly send: (event: EventObject) => void }>();
  /** The budgets that remain for them, by the same prefix. */
  const budgets = new Map<string, RemainingBudget>();
  const sendFromOutside = recording.events(({ run: id, ...event }: EventObject) =>
    (nested.get(String(id)) ?? actor).send(event as workflow.WorkflowEvent),
  );
  const completing =
    (id?: string): Complete =>
    (event) =>
      sendFromOutside(id === undefined ? event : { ...event, run: id });
  const { callTool } = run.ports ?? {};
  const own = {
    ...understudyPorts(),
    ...run.ports,
    ...(callTool && { callTool: limitToolCalls(callTool) }),
    ...memoryPorts({ clock }),
    ...spendingPorts({ clock, pools: run.pools }),
    timer: clock.timer,
    runAgent: streamCallbacks(
      breakCircuits(
        (call, { signal, onText }) =>
          askAgent(call, { ...useOf(call.token, signal, completing(runOf(call.key))), onText }),
        clock.world.now,
      ),
    ),
    requestDecision: (question, { signal }) =>
      decide(question, person, view, signal, live?.decisions.made(question.key)),
  } satisfies Partial<Ports>;
  const given = run.mcp?.ports(own) ?? own;
  // Limits apply inside the recording: a replay repeats their refusals and ignores its own limits.
  const recorded = recording.ports(limitPorts(given, run.limits));
  const ports: Partial<Ports> = {
    ...recorded,
    // Several approvals may be open at the same time, but the terminal asks one question at a time.
    requestDecision: (question, call) => {
      const close = live?.decisions.open(question);
      const turn = Promise.race([decided, ...(live ? [live.decisions.made(question.key)] : [])]);
      const answer = turn.then((onPage) => {
        if (!onPage) view.ask(question);
        return recorded.requestDecision(question, call);
      });
      void Promise.allSettled([answer]).then(close);
      decided = Promise.allSettled([decided, answer]).then(() => undefined);
      return answer;
    },
    countSpending: async (input, call) => {
      const answer = await recorded.countSpending(input, call);
      budgets.get(runOf(input.key) ?? '')?.addCounted(costToCount(input));
      return answer;
    },
    // A nested workflow is not recorded as one answer: its own calls are recorded.
    runAgent: (call, use) => {
      const name = definitionOf(call.agent);
      const definition = name === undefined ? undefined : run.definitions.get(name);
      return definition
        ? runNested(name!, definition.compiled, call, use.signal)
        : recorded.runAgent(call, use);
    },
  };
  /** Runs a definition as an agent. Its steps are shown indented among those of the outer workflow. */
  const runNested = async (
    name: string,
    { chart: inner, kind }: Compiled,
    call: PortInput<'runAgent'>,
    signal: AbortSignal,
  ): Promise<PortOutput<'runAgent'>> => {
    if (kind !== 'workflow') throw notAWorkflow(call.agent);
    const depth = call.key.split(nestingMark).length;
    if (depth > nestingMax) {
      const { error, cause } = nestingExceeded(call.agent);
      throw new AgentError(error, cause);
    }
    if (!run.isDry) requireEnforced(call.agent, call.tools, toolNamesOnly);
    const behaviour = behaviourOf(inner!);
    const begun = behaviour.agent?.input(call.input, {}) ?? { input: call.input };
    const id = `${call.key}${nestingMark}`;
    const budget = new RemainingBudget(call);
    let ended: AgentEnding | undefined;
    const machine = providePorts(machineOf(inner!), portsWithin(ports, call.tools));
    // The inspector finds the text of a definition by this id. The nodes keep the ids that the chart has given them.
    machine.id = name;
    const inside = createActor(machine, {
      input: { ...begun, id },
      ...listen((event) => {
        if (event.type !== 'workflow.ended')
          view.see(event as unknown as workflow.WorkflowEmitted, depth);
        if (event.type === 'task.scheduled') void workOn(event as never, askAgent, completing(id));
        const exceeded = budget.after(event);
        ended ??= exceeded;
        // The current step finishes first: it may be the last one.
        if (ended) queueMicrotask(stop);
      }),
    });
    nested.set(id, inside);
    budgets.set(id, budget);
    live?.attach(inside);
    const stop = () => inside.stop();
    signal.addEventListener('abort', stop, { once: true });
    return new Promise((resolve, reject) => {
      inside.subscribe({
        complete: () => {
          signal.removeEventListener('abort', stop);
          nested.delete(id);
          const { status, output } = inside.getSnapshot();
          if (status === 'done')
            ended = behaviour.agent?.ending(output as Json) ?? { result: output as Json };
          budgets.delete(id);
          const { usage } = budget;
          budgets.get(runOf(call.key) ?? '')?.addCounted(usage.counted);
          const answer = ended && agentEnded({ ...ended, usage });
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
      view.see(event as unknown as workflow.WorkflowEmitted);
      if (event.type === 'task.scheduled') void workOn(event as never, askAgent, completing());
    }),
  });
  live?.attach(actor);
  const stop = recording.stops(run.stop);
  const ending = new Promise<workflow.WorkflowOutput | undefined>((resolve, reject) => {
    const leave = () => {
      actor.stop();
      resolve(undefined);
    };
    if (stop.aborted) return leave();
    stop.addEventListener('abort', leave, { once: true });
    // The process would exit: no timer or input is left that could continue the workflow.
    process.once('beforeExit', leave);
    actor.subscribe({
      complete: () => {
        process.off('beforeExit', leave);
        resolve(actor.getSnapshot().output as workflow.WorkflowOutput);
      },
      error: reject,
    });
    actor.start();
  });
  try {
    return await ending;
  } finally {
    // Throws the first difference of a replay, which explains any failure above.
    await recording.finish();
  }
}

function behaviourOf({ format }: Chart): Behaviour {
  return behaviours.get(format)!;
}

/** Separates the keys of a nested run from the key of the call that runs it. */
const nestingMark = '/~';

/** The nested run that has made a call. @returns undefined for the outermost run */
function runOf(key: string): string | undefined {
  const at = key.lastIndexOf(nestingMark);
  return at < 0 ? undefined : key.slice(0, at + nestingMark.length);
}

function notAWorkflow(agent: string): AgentError {
  const cause = `"${agent}" is not a workflow, and "dramaturg run" runs only workflows inside a workflow. Use "dramaturg start" instead: it also runs conversations and lifecycles from files in the folder of the workflow.`;
  return new AgentError('States.AgentNotFound', cause);
}

/** Works on an activity as an agent of the same name would, and completes the task by its token. */
async function workOn(
  { token, resource, input }: workflow.WorkflowEmitted & { type: 'task.scheduled' },
  runAgent: AgentsPort,
  complete: Complete,
): Promise<void> {
  if (!/:activity:/.test(resource)) return;
  const { signal } = new AbortController();
  try {
    const call = { key: token, agent: resource, input, token };
    const { result } = await runAgent(call, useOf(token, signal, complete));
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

/** The functions that an agent may use during its call. */
function useOf(
  token: string | undefined,
  signal: AbortSignal,
  complete: Complete,
): Parameters<AgentsPort>[1] {
  const heartbeat = () => {
    if (token !== undefined) complete({ type: 'task.heartbeat', token });
  };
  return { signal, complete, heartbeat, onText: () => {} };
}

/**
 * Asks at the terminal, or reads the next line of a pipe, until the line is a decision. Never decides by itself.
 *
 * @param onPage resolves with the decision of the inspector's page; the first decision counts
 */
async function decide(
  question: Question,
  person: () => Person,
  view: WorkflowView,
  signal: AbortSignal,
  onPage: Promise<Decision> = new Promise(() => {}),
): Promise<Decision> {
  const early = await Promise.race([onPage, Promise.resolve()]);
  if (early) return early;
  for (;;) {
    const isDecided = new AbortController();
    const typed = person().nextLine(view.prompt, {
      signal: AbortSignal.any([signal, isDecided.signal]),
    });
    const made = await Promise.race([onPage, typed]);
    isDecided.abort();
    signal.throwIfAborted();
    if (made === undefined) return onPage;
    if (typeof made !== 'string') return made;
    try {
      return readDecisionLine(made, question);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      view.refuse(error.message, error.hint ?? '');
    }
  }
}

/** Counts how much a nested workflow uses of the remaining budget of its caller. */
class RemainingBudget {
  readonly #limits: NonNullable<PortInput<'runAgent'>['left']>;
  #inputTokens = 0;
  #outputTokens = 0;
  #cost = 0;
  #counted: CountedCost | undefined;

  constructor({ left = {} }: PortInput<'runAgent'>) {
    this.#limits = left;
  }

  /** The usage so far. Requests to models are not counted here: the calls themselves report them. */
  get usage(): Usage {
    return {
      requests: 0,
      inputTokens: Math.round(this.#inputTokens),
      outputTokens: Math.round(this.#outputTokens),
      cost: this.#cost,
      ...(this.#counted && { counted: this.#counted }),
    };
  }

  /** Adds cost that the workflow, or a definition inside it, has already counted in shared accounts. */
  addCounted(more: CountedCost | undefined): void {
    if (more) this.#counted = sumOfCounted(this.#counted, more);
  }

  /** Counts the usage in an event. @returns the ending of the workflow once it has exceeded the budget */
  after(event: EventObject): (AgentEnding & { readonly error: string }) | undefined {
    if (event.type !== 'usage.recorded') return undefined;
    const { tokens: said, inputTokens, outputTokens = said, cost } = event;
    this.#inputTokens += amount(inputTokens);
    this.#outputTokens += amount(outputTokens);
    this.#cost += amount(cost);
    const tokens = this.#inputTokens + this.#outputTokens;
    const { tokens: mostTokens = Infinity, cost: mostCost = Infinity } = this.#limits;
    if (tokens <= mostTokens && this.#cost <= mostCost) return undefined;
    const [most, used] =
      tokens > mostTokens ? [`${mostTokens} tokens`, tokens] : [`${mostCost} in money`, this.#cost];
    return {
      error: 'States.BudgetExceeded',
      cause: `It had ${most} of a budget left, and has used ${used}.`,
    };
  }
}

function amount(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/**
 * Reads a decision that a person has typed: an option, then the flags of `decide`, `approve --by ana --comment "Fine"`; or
 * the decision as JSON.
 *
 * @throws UsageError when the line is neither
 */
function readDecisionLine(line: string, question: Question): Decision {
  const text = line.trim();
  if (text.startsWith('{')) return requireDecision(jsonIn(text));
  const isOption = question.options.some(({ id }) => id === text);
  if (isOption) return { decision: text };
  const words = wordsIn(text);
  const flags = words.findIndex((word) => word.startsWith('--'));
  const option = (flags < 0 ? words : words.slice(0, flags)).join(' ');
  if (option === '')
    throw new UsageError('The line has no option.', `Begin with one: ${optionsIn(question)}.`);
  const options = flags < 0 ? {} : optionsOf(words.slice(flags));
  return requireDecision(decisionGiven(option, options, question));
}

function requireDecision(given: unknown): Decision {
  const decision = readDecision(given);
  if (typeof decision !== 'string') return decision;
  throw new UsageError(
    visible(decision),
    'Write it like this: {"decision": "approve", "by": "ana"}',
  );
}

function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(
    'The line begins like JSON and is not.',
    'Write it like this: {"decision": "approve", "by": "ana"}',
  );
}

function optionsIn({ options }: Question): string {
  return options.map(({ id }) => visible(id)).join(', ');
}

/** Parses the flags as `dramaturg decide` does. */
function optionsOf(words: readonly string[]): DecisionOptions {
  const flags = withDecisionOptions(new Command('decide'))
    .helpOption(false)
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  try {
    flags.parse([...words], { from: 'user' });
    const [more] = flags.args;
    if (more === undefined) return flags.opts();
    throw new UsageError(
      `"${visible(more)}" does not belong to a flag.`,
      'Put a text of several words in quotes: --comment "Fine with me".',
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const message = visible(error.message.replace(/^error: /, ''));
    throw new UsageError(
      `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
      'The flags are --by, --role, --comment, --edit, --items and --data.',
    );
  }
}

/** Splits a line as a shell does, with quotes around parts of words. */
function wordsIn(line: string): string[] {
  const words: string[] = [];
  const pattern = /\s*((?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+)/gy;
  let end = 0;
  for (const [whole, word] of line.matchAll(pattern)) {
    end += whole.length;
    words.push(
      word!.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
        double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1'),
      ),
    );
  }
  if (line.slice(end).trim() === '') return words;
  throw new UsageError(
    'A quote in the line is not closed.',
    'Close it, or write the other kind of quotes around it: --comment "It\'s fine".',
  );
}
