import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  check,
  compile,
  type Diagnostic,
  type Json,
  type JsonObject,
  type PortOutput,
  type Ports,
  providePorts,
} from '@dramaturg/compiler';
import {
  contextGraph,
  type Graph,
  type GraphContext,
  type GraphEmitted,
  type GraphEvent,
  type GraphInput,
  parseTopology,
  renderTopology,
  type TransitionRecord,
} from '@dramaturg/context-graph';
import { type Case, type Difference, firstDifference, type Layout } from '../../layout.ts';
import { type AnyActor, createActor, type EventObject, waitFor } from 'xstate';

/**
 * Context graphs: `cases.json` and the graphs that it names, in one folder. The file lists cases of behaviour (turns with the
 * answers of the model, and the trace `[A] x -> [D] y -> [A] z !A1` of each), validation, topology and persistence (how long the
 * result of a tool is kept).
 */
export const contextGraphLayout: Layout = {
  name: 'context-graph',
  recognises: (folder) => {
    const file = join(folder, 'cases.json');
    if (!existsSync(file)) return false;
    const { behaviour, validation } = JSON.parse(readFileSync(file, 'utf8')) as Partial<CaseFile>;
    return Array.isArray(behaviour) && Array.isArray(validation);
  },
  cases: (folder) => {
    const read = (file: string) =>
      JSON.parse(readFileSync(join(folder, file), 'utf8')) as JsonObject;
    const file = read('cases.json') as unknown as CaseFile;
    /** Loads the graph of a case and the graphs that it references. */
    const loadGraphs = (one: GraphSource) => ({
      graph: one.graph_inline ?? read(one.graph!),
      graphs: {
        ...Object.fromEntries(
          Object.entries(one.references ?? {}).map(([name, other]) => [name, read(other)]),
        ),
        ...one.references_inline,
      },
    });
    const cases: Case[] = [
      ...file.behaviour.map((one) => ({
        area: 'behaviour',
        id: one.id,
        run: () => runBehaviour(loadGraphs(one), one),
      })),
      ...file.validation.map((one) => ({
        area: 'validation',
        id: one.id,
        run: () => runValidation(loadGraphs(one), one),
      })),
      ...(file.topology ?? []).map((one) => ({
        area: 'topology',
        id: one.graph ?? 'inline',
        run: () => runTopology(loadGraphs(one), one),
      })),
      ...(file.result_persistence ?? []).map((one) => ({
        area: 'persistence',
        id: `${one.result_persistence} ${one.result_chars}`,
        run: () => runPersistence(one),
      })),
    ];
    return cases;
  },
};

/** Compares the rendered topology, and checks that each of its blocks can be parsed. */
function runTopology(
  { graph, graphs }: LoadedGraphs,
  { text }: TopologyCase,
): Difference | undefined {
  const { definition } = check(JSON.stringify(graph), {
    formats: [contextGraph],
    format: 'context-graph',
    options: { graphs },
  });
  const rendered = renderTopology(definition as Graph);
  const blocks = text.trimEnd().split('\n\n').slice(1);
  return firstDifference(
    { text: JSON.stringify(text), blocks: blocks.length },
    { text: JSON.stringify(rendered), blocks: parseTopology(text).states.length },
  );
}

const toolId = '000000000000000000000000';

/** Creates a graph that allows a tool during the selection of an action. */
function graphWith(result_persistence: string): JsonObject {
  const action = (name: string, fields: JsonObject): JsonObject => ({
    type: 'action',
    name,
    objective: 'Talk',
    intra_state_navigation_guidelines: [],
    action_guidelines: [],
    boundary_constraints: [],
    ...fields,
  });
  return {
    description: 'A graph with a tool.',
    new_user_initial_state: 'talk',
    returning_user_initial_state: 'talk',
    terminal_state: 'end',
    states: [
      action('talk', {
        actions: ['Talk', 'Ask'],
        exit_conditions: [{ description: 'All is said', next_state: 'end' }],
        exit_condition_tool_call_specs: [
          {
            tool_id: toolId,
            version_constraint: '>=1',
            additional_instruction: 'Look it up',
            result_persistence,
          },
        ],
      }),
      action('end', { actions: ['Say goodbye'], exit_conditions: [] }),
    ],
  };
}

/** Lets the model use the tool once during the selection of an action, and compares which later calls see the result. */
async function runPersistence({
  result_persistence,
  result_chars,
  ...expected
}: PersistenceCase): Promise<Difference | undefined> {
  const result = 'x'.repeat(result_chars);
  const prompts: Record<'select' | 'engage', boolean> = { select: false, engage: false };
  const sees = (prompt: readonly { readonly text: string }[]) =>
    prompt.some(({ text }) => text.includes(result));
  let calls = 0;
  const performance = new Performance(
    graphWith(result_persistence),
    {},
    { opening: 'person' },
    {
      choose: ({ prompt }): PortOutput<'choose'> => {
        calls += 1;
        prompts.select = sees(prompt);
        const toolCalls = calls === 1 ? [{ name: toolId, arguments: {} }] : [];
        return { option: 'A1', toolCalls };
      },
      callTool: () => ({ result }),
      reply: ({ prompt }) => {
        prompts.engage = sees(prompt);
        return { text: 'So.' };
      },
    },
  );
  await performance.turn('hello', []);
  const failed = performance.events.some(({ type }) => type === 'turn.failed');
  return firstDifference(expected, {
    current_call: prompts.select,
    later_calls: prompts.engage,
    stored: performance.context.knowledge.results.length > 0,
    error: failed,
  });
}

/** Plays the turns of a case, and compares every recorded field of each turn. */
async function runBehaviour(
  { graph, graphs }: LoadedGraphs,
  { options, turns }: BehaviourCase,
): Promise<Difference | undefined> {
  const limit = options.maxSteps === undefined ? {} : { maxTransitionsPerTurn: options.maxSteps };
  const performance = new Performance(
    graph,
    { graphs, ...limit },
    {
      returning: options.returning === true,
      opening: turns[0]?.user === null ? 'agent' : 'person',
    },
  );
  for (const [index, turn] of turns.entries()) {
    const actual = await play(performance, turn);
    const { user: _, answers: __, ...expected } = turn;
    const difference = firstDifference(expected, actual, `turn ${index + 1}, `);
    if (difference) return difference;
  }
  return undefined;
}

async function play(
  performance: Performance,
  { user, answers, error }: TurnCase,
): Promise<Record<string, unknown>> {
  const isOver = performance.actor.getSnapshot().status === 'done';
  if (!isOver) await performance.turn(user, answers);
  const { events, calls, context } = performance;
  const state = context.state.split('/').at(-1)!;
  const completed = events.find((event) => event.type === 'traversal.completed');
  const transitions = completed?.transitions ?? [];
  return {
    error: isOver ? 'CG-CONVERSATION-COMPLETED' : errorOf(events, error),
    trace: completed?.trace,
    final: completed?.state ?? state,
    completed: performance.actor.getSnapshot().status === 'done',
    frames: completed?.jumpbacks,
    transitions: transitions.map(written),
    memory_retrieval: calls.filter(({ what }) => what === 'remember').map((call) => call.state),
    recall_performed: transitions.flatMap(({ queries }) => (queries ? [queries] : [])),
    effects: [
      ...calls.flatMap(({ what, input }) =>
        what === 'tool' ? [['tool', input['arguments']!]] : [],
      ),
      ...events.flatMap((event): Json[] =>
        event.type === 'effect.triggered' ? [['effect', event.event_name]] : [],
      ),
    ],
    notes: notesOf(events, transitions),
  };
}

/** Converts a transition to the form of a case file, in which some fields are elsewhere. */
function written(record: TransitionRecord): object {
  const { queries: _, automatic: __, ...transition } = record;
  return transition;
}

/** The message of a failed turn contains the message of the port. */
function errorOf(events: readonly GraphEmitted[], expected: string | undefined) {
  const failed = events.find((event) => event.type === 'turn.failed');
  return expected !== undefined && failed?.message.includes(expected) ? expected : failed?.message;
}

/** The remarks of a case file about a turn, in order. */
function notesOf(
  events: readonly GraphEmitted[],
  transitions: readonly TransitionRecord[],
): string[] {
  const fallback = transitions.findIndex(({ type }) => type === 'fallback');
  const limit = transitions.find(({ refused }) => refused);
  const refusals = events.filter((event) => event.type === 'answer.refused');
  const invalid = refusals.map(({ answer, state }) => `invalid answer '${answer}' at ${state}`);
  const isDecision = ({ state }: { state: string }) =>
    state === transitions[fallback]?.from && !limit;
  const ofDecision = refusals.filter(isDecision).length;
  const last = refusals.at(-1)?.state;
  const stayed = refusals.filter(({ state }) => state === last).length > 1;
  return [
    ...invalid.slice(0, ofDecision),
    ...(limit
      ? [`limit at ${limit.to}`]
      : fallback >= 0
        ? ['decision fallback to previous action']
        : []),
    ...transitions.flatMap(({ automatic }) => (automatic ? ['single exit auto'] : [])),
    ...invalid.slice(ofDecision),
    ...(stayed && ofDecision === 0 ? ['fallback first action'] : []),
  ];
}

type Answer = readonly [port: string, answer: Json];

/** A call of a port. Its key contains its purpose and its state. */
interface PortCallRecord {
  readonly what: string;
  readonly state: string;
  readonly input: JsonObject;
}

/** A conversation that follows a graph. The model gives the answers of the case in order. */
class Performance {
  readonly actor: AnyActor;
  /** The calls and events since the last turn. */
  calls: PortCallRecord[] = [];
  events: GraphEmitted[] = [];
  #answers: readonly Answer[] = [];
  /** The number of answers used in the turn. */
  #answered = 0;

  constructor(
    graph: JsonObject,
    options: JsonObject,
    start: GraphInput,
    ports: Partial<Ports> = {},
  ) {
    const { machine, diagnostics } = compile(JSON.stringify(graph), {
      formats: [contextGraph],
      format: 'context-graph',
      options,
    });
    if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
    const note = (input: { readonly key: string }): string => {
      const [, , ...address] = input.key.split('/');
      const [what = '', state] = [address.at(-2), address.slice(0, -2)];
      this.calls.push({ what, state: shown(state), input: input });
      return what;
    };
    this.actor = createActor(
      providePorts(machine, {
        recall: (input) => {
          note(input);
          return { memories: [] };
        },
        choose: (input) => ({ option: this.#next(note(input)) as string }),
        think: (input) => ({ text: this.#next(note(input)) as string }),
        extract: (input) => {
          const what = note(input);
          const answer = this.#next(what);
          return { value: what === 'queries' ? { queries: answer } : { arguments: answer } };
        },
        callTool: (input) => {
          note(input);
          return { result: 'done' };
        },
        reply: (input) => {
          note(input);
          return { text: 'So.' };
        },
        ...ports,
      }),
      { input: start },
    );
    this.actor.on('*', (event) => this.events.push(event as GraphEmitted));
  }

  get context(): GraphContext {
    return this.actor.getSnapshot().context as GraphContext;
  }

  /**
   * Plays a turn. Starts the actor before the first turn. A failed turn continues from the failed call. Case files list all calls
   * of such a turn again, so calls that were answered before the failure also count.
   */
  async turn(user: string | null, answers: readonly Answer[]): Promise<void> {
    if (this.actor.getSnapshot().hasTag('failed')) {
      this.calls.pop();
      this.events = this.events.filter(({ type }) => type !== 'turn.failed');
    } else {
      this.calls = [];
      this.events = [];
      this.#answered = 0;
    }
    this.#answers = answers.slice(this.#answered);
    this.actor.start();
    if (user !== null) this.actor.send(messageOf(user));
    await waitFor(this.actor, ({ status, tags }) => status !== 'active' || tags.has('waiting'));
  }

  /**
   * Returns the next answer. In case files, the name of an answer is that of its question; the arguments of a tool are named
   * `tool`.
   */
  #next(what: string): Json {
    const [answer, ...rest] = this.#answers;
    const name = what === 'prepare' ? 'tool' : what;
    if (answer?.[0] !== name) throw new Error(`asked to ${name} without an answer`);
    this.#answers = rest;
    if (answer[1] === 'THROW') throw new Error('model error');
    this.#answered += 1;
    return answer[1];
  }
}

function messageOf(text: string): EventObject {
  const event: GraphEvent = { type: 'message.received', text };
  return event;
}

/** Formats a state as in a trace: with the name of its reference as a prefix, if it has one. */
function shown(address: readonly string[]): string {
  const call = address.at(-2);
  const name = address.at(-1) ?? '';
  return call === undefined ? name : `${call.slice(0, call.indexOf('.'))}.${name}`;
}

/** Maps the codes of the case file to ours. */
const ownCodes: Readonly<Record<string, string>> = {
  'CG-NAME': 'bad-name',
  'CG-DUP': 'duplicate-state',
  'CG-NAME-MISMATCH': 'name-mismatch',
  'CG-NO-ACTIONS': 'no-actions',
  'CG-UNKNOWN-TARGET': 'unknown-target',
  'CG-SELF-TARGET': 'self-target',
  'CG-BAD-EXTERNAL': 'bad-external-target',
  'CG-UNKNOWN-REF': 'unknown-reference',
  'CG-UNKNOWN-EXTERNAL-STATE': 'unknown-external-state',
  'CG-UNKNOWN-JUMPBACK': 'unknown-jumpback',
  'CG-REF-CYCLE': 'reference-cycle',
  'CG-UNKNOWN-NEW_USER_INITIAL_STATE': 'unknown-new-user-initial-state',
  'CG-UNKNOWN-RETURNING_USER_INITIAL_STATE': 'unknown-returning-user-initial-state',
  'CG-UNKNOWN-TERMINAL_STATE': 'unknown-terminal-state',
  'CG-NOT-ACTION': 'not-an-action',
  'CG-TERMINAL-ACTIONS': 'terminal-actions',
  'CG-TERMINAL-EXITS': 'terminal-exits',
  'CG-DECISION-NO-EXIT': 'decision-without-exit',
  'CG-RECALL-NEITHER': 'recall-neither',
  'CG-RECALL-BOTH': 'recall-both',
  'CG-UNSUPPORTED-TYPE': 'unsupported-type',
  'CG-UNCONDITIONAL-CYCLE': 'unconditional-cycle',
  'CG-INTERNAL-CYCLE': 'internal-cycle',
  'CG-TOOL-PERSISTENCE': 'tool-persistence',
  'CG-DEAD-END': 'dead-end',
  'CG-UNREACHABLE': 'unreachable',
  'CG-INITIAL-IS-TERMINAL': 'initial-is-terminal',
};

/** Codes that the case file repeats for every state that a mistake affects. */
const consequences = ['unreachable'];

/**
 * Compares errors and warnings: severity, code, and the state if the case file names it. The case file lists every consequence of
 * a mistake, but we report one finding for each cause. An expected finding therefore counts as reported if a finding of the same
 * kind lists its state as related. A consequence also counts if there is any error.
 */
function runValidation(
  { graph, graphs }: LoadedGraphs,
  { diagnostics }: ValidationCase,
): Difference | undefined {
  const found = check(JSON.stringify(graph), {
    formats: [contextGraph],
    format: 'context-graph',
    options: { graphs },
  }).diagnostics.filter(({ severity }) => severity !== 'info');
  const names = namesOf(graph);
  const expected = diagnostics.map(([severity, code, about]) => ({
    finding: `${severity} ${ownCodes[code] ?? code}`,
    state: typeof about === 'string' && names.includes(about) ? about : undefined,
  }));
  const isReported = ({ finding, state }: Expected) =>
    found.some(({ code, severity, related = [] }) => {
      if (severity === 'error' && consequences.some((one) => finding.endsWith(` ${one}`)))
        return true;
      const isRole = finding.includes('initial-state') && code.includes('initial-state');
      if (finding !== `${severity} ${ownCode(code)}` && !isRole) return false;
      const places = related.map(({ path }) => stateAt(graph, path));
      return related.length > 0 && (state === undefined || places.includes(state));
    });
  const withState = new Set(
    expected.filter(({ state }) => state !== undefined).map(({ finding }) => finding),
  );
  const actual = found.map((diagnostic) => {
    const finding = `${diagnostic.severity} ${ownCode(diagnostic.code)}`;
    return { finding, state: withState.has(finding) ? stateAt(graph, diagnostic.path) : undefined };
  });
  const reported = new Set(actual.map(nameOf));
  const remaining = expected.filter((one) => reported.has(nameOf(one)) || !isReported(one));
  return firstDifference({ findings: listed(remaining) }, { findings: listed(actual) });
}

interface Expected {
  readonly finding: string;
  readonly state: string | undefined;
}

function nameOf({ finding, state }: Expected): string {
  return `${finding} ${state ?? ''}`;
}

function ownCode(code: string): string {
  return code.replace(/^context-graph\//, '');
}

function listed(findings: readonly Expected[]): string {
  const lines = findings.map(({ finding, state }) =>
    state === undefined ? finding : `${finding} "${state}"`,
  );
  return lines.toSorted().join(', ') || 'none';
}

function namesOf({ states }: JsonObject): readonly Json[] {
  if (!Array.isArray(states)) return Object.keys(states ?? {});
  return (states as readonly JsonObject[]).map(({ name }) => name ?? null);
}

/** The name of the state that contains a finding. */
function stateAt({ states }: JsonObject, [root, place]: Diagnostic['path']): string | undefined {
  if (root !== 'states' || place === undefined) return undefined;
  if (!Array.isArray(states)) return String(place);
  return (states as readonly JsonObject[])[Number(place)]?.['name'] as string;
}

/** The contents of `cases.json`. */
interface CaseFile {
  readonly behaviour: readonly BehaviourCase[];
  readonly validation: readonly ValidationCase[];
  readonly topology?: readonly TopologyCase[];
  readonly result_persistence?: readonly PersistenceCase[];
}

/** The graph of a case: inline, or the name of a file. */
interface GraphSource {
  readonly graph?: string;
  readonly graph_inline?: JsonObject;
  /** The files of the referenced graphs, by the name of the reference. */
  readonly references?: Readonly<Record<string, string>>;
  readonly references_inline?: Readonly<Record<string, JsonObject>>;
}

/** The loaded graph of a case and the graphs that it references. */
interface LoadedGraphs {
  readonly graph: JsonObject;
  readonly graphs: Readonly<Record<string, JsonObject>>;
}

interface BehaviourCase extends GraphSource {
  readonly id: string;
  readonly options: { readonly returning?: boolean; readonly maxSteps?: number };
  readonly turns: readonly TurnCase[];
}

interface TurnCase {
  /** Null when the agent speaks first. */
  readonly user: string | null;
  readonly answers: readonly (readonly [port: string, answer: Json])[];
  readonly error?: string;
  readonly trace?: string;
  readonly [aspect: string]: unknown;
}

interface ValidationCase extends GraphSource {
  readonly id: string;
  /** Severity, code and subject, which is often the name of a state. */
  readonly diagnostics: readonly (readonly [string, string, ...Json[]])[];
}

interface TopologyCase extends GraphSource {
  readonly text: string;
}

interface PersistenceCase {
  readonly result_persistence: string;
  readonly result_chars: number;
  readonly current_call: boolean;
  readonly later_calls: boolean;
  readonly stored: boolean;
  readonly error: boolean;
}
