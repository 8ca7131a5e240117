import type {
  JsonObject,
  NextReply,
  PortInput,
  PromptSection,
  ToolSpec,
} from '@dramaturg/compiler';
import {
  announcements,
  callInput,
  constant,
  data,
  end,
  growingData,
  human,
  newSections,
  objectSchema,
  once,
  type OptionalSection,
  present,
  replyInput,
  section,
  statesOutline,
  summaryBehaviour,
  summarySection,
} from '@dramaturg/conversation';
import type { ToolResult } from '../context.ts';
import type { StateMeta } from '../lower/meta.ts';
import { graphPath, stateNode } from '../names.ts';
import { calledTool, newQueries, offeredTools } from './answer.ts';
import {
  currentState,
  graphMeta,
  type GraphScope,
  type Place,
  rootMeta,
  type ToolList,
  toolsOf,
  traversalOf,
} from './meta.ts';
import { graphCallKey } from './turn.ts';

/**
 * Prompts, and the inputs of the ports that get them: pure functions of the context and the texts of the chart. Authors' texts are instructions; everything from
 * people, memory, tools and models is marked as data. Spec: docs/formats/context-graph.md#prompts
 */

/** For the choice of an action or an exit: all three levels of navigation. A decision has only exits. */
function choicePrompt(scope: Place): PromptSection[] {
  const { refused, knowledge, masked } = traversalOf(scope);
  const isDecision = currentState(scope).type === 'decision';
  const done = knowledge.selected.map(
    ({ state, action }) => `${state}: ${action === human ? 'a person has taken over' : action}`,
  );
  return present([
    role(scope),
    ...maps(scope),
    outline(scope),
    ...(isDecision
      ? []
      : [
          globals('How to move', scope, 'intra_state_navigation_guidelines'),
          globals('Boundaries', scope, 'boundary_constraints'),
        ]),
    constant(section('What to do', isDecision ? howToDecide : howToSelect)),
    where(scope),
    ...knowledgeOf(scope),
    // Actions may be repeated, but a model that chooses one should know which it has taken.
    data('What you have done lately', counted(done)),
    section('This turn', [
      masked && !isDecision ? 'Exits are out of reach for this turn: choose an action.' : undefined,
    ]),
    refused === null
      ? undefined
      : data('No option', [`Your last answer was none of the options: ${refused}`]),
  ]);
}

const howToSelect = [
  'Choose what comes next: the exit condition that the conversation has met, or else an action to take in this state.',
  'Of several exit conditions that are met choose the most specific one, on a tie the earlier one.',
];
const howToDecide = [
  'Choose the exit condition that the conversation has met. One of them has to be chosen.',
  'Of several that are met choose the most specific one, on a tie the earlier one.',
];

function reflectPrompt(scope: Place): PromptSection[] {
  const { problem = '', word_limit: limit } = currentState(scope);
  return present([
    section('What to think about', [problem]),
    role(scope),
    ...maps(scope),
    section('Where we are', [stateTitle(scope)]),
    ...knowledgeOf(scope),
    section('What to do', [limit === undefined ? undefined : `Use at most ${limit} words.`]),
  ]);
}

function engagePrompt(scope: Place): PromptSection[] {
  const { objective } = currentState(scope);
  return present([
    role(scope),
    section('Where we are', [objective && `Objective: ${objective}`]),
    ...merged('How to speak', scope, 'action_guidelines'),
    ...merged('Boundaries, which override everything else', scope, 'boundary_constraints'),
    constant(
      section('The message', [
        'Write one message to the person that carries out the action. Do not mention states, exits or thoughts.',
      ]),
    ),
    ...knowledgeOf(scope),
  ]);
}

function wordQueriesPrompt(scope: Place): PromptSection[] {
  const { requested_information: information = '' } = currentState(scope);
  const { knowledge } = traversalOf(scope);
  return present([
    section('What to recall', [information]),
    section('What to do', ['Word short queries for a search in the memory of this person.']),
    data('Queries that were performed already', knowledge.queries),
  ]);
}

function prepareCallPrompt(scope: Place): PromptSection[] {
  const { objective, context, guidances = [], validations = [], designated } = currentState(scope);
  const { refused: problems } = traversalOf(scope);
  return present([
    section('The tool', [designated && `${designated.name}: ${designated.description}`]),
    section('What the call is to achieve', [objective]),
    section('Why it is needed', [context]),
    section('Hints', guidances),
    section('The arguments must pass', validations),
    ...knowledgeOf(scope),
    section('What to do', [
      'Build the arguments of the call from the conversation. List every validation they fail.',
    ]),
    problems === null ? undefined : data('What was wrong with the last attempt', [problems]),
  ]);
}

function role(scope: Place): OptionalSection {
  return constant(
    section('The service', [graphMeta(scope.meta, traversalOf(scope).state).description]),
  );
}

function stateTitle(scope: Place): string {
  return `State: ${currentState(scope).title}`;
}

/** The whole graph, so that the model sees more than the next step. */
function maps(scope: Place): OptionalSection[] {
  const { maps: all = [] } = rootMeta(scope.meta);
  const { topology } = graphMeta(scope.meta, traversalOf(scope).state);
  return topology.map(({ title: name, map }) => constant(section(name, [all[map]])));
}

/** The texts of every state: for the model that chooses, not for the one that speaks. */
function outline({ context, meta }: Place): OptionalSection {
  return statesOfGraph(meta, graphPath(traversalOf({ context }).state));
}

function where(scope: Place): OptionalSection {
  const own = outline(scope) === undefined ? stateText(currentState(scope)) : [];
  return section('Where we are', [stateTitle(scope), ...own]);
}

type Merged = 'intra_state_navigation_guidelines' | 'action_guidelines' | 'boundary_constraints';

function globals(name: string, scope: Place, field: Merged): OptionalSection {
  const graph = graphMeta(scope.meta, traversalOf(scope).state);
  return constant(section(name, graph[`global_${field}`]));
}

/** The graph's own globals first, then the state's, which are more specific. Another graph's globals do not count. */
function merged(name: string, scope: Place, field: Merged): OptionalSection[] {
  const own = section(`In this state: ${name}`, currentState(scope)[field] ?? []);
  return [globals(name, scope, field), own];
}

function knowledgeOf(scope: Place): OptionalSection[] {
  const { knowledge, tools } = traversalOf(scope);
  const lineOf = ({ tool, text }: ToolResult) => `${tool}: ${text}`;
  const kept = knowledge.results.map(lineOf);
  const latest = tools.results.map(lineOf).filter((line) => !kept.includes(line));
  return [
    summarySection(scope.context),
    ...growingData('Remembered of this person', knowledge.memories),
    ...knowledge.thoughts.map(({ state, text, at }) => ({
      title: `Your thought in ${state}`,
      text,
      data: true,
      at,
    })),
    data('What tools have returned', [...kept, ...latest]),
  ];
}

/** Merges equal consecutive lines into one with their count. */
function counted(lines: readonly string[]): string[] {
  const runs: { readonly line: string; count: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.line === line) last.count += 1;
    else runs.push({ line, count: 1 });
  }
  return runs.map(({ line, count }) => (count === 1 ? line : `${line} (${count} times)`));
}

/**
 * The texts of all states of a graph. They are the same while the conversation is in the graph, so that a provider caches them;
 * each call then only names the current state. Undefined for a graph with too much text: then each call contains the text of its
 * state.
 */
const statesOfGraph = once((meta: GraphScope['meta'], path): OptionalSection => {
  const prefix = path === '' ? 'state:' : stateNode(path);
  const { maps: all = [] } = rootMeta(meta);
  const [own] = graphMeta(meta, path).topology;
  const mapLines = (all[own?.map ?? -1] ?? '').split('\n');
  const text = [...meta]
    .flatMap(([id, node]) => {
      const isHere = id.startsWith(prefix) && !id.slice(prefix.length).includes('/');
      return isHere && 'title' in node && 'type' in node ? [node as unknown as StateMeta] : [];
    })
    .map((state) => [`## ${state.title}`, ...stateText(state, mapLines)].join('\n'))
    .join('\n\n');
  return statesOutline(text);
});

/**
 * The texts of a state that choices depend on.
 *
 * @param mapLines the lines of a map that the prompt has, too
 */
function stateText(state: StateMeta, mapLines: readonly string[] = []): string[] {
  const { objective, actions = [], exits = [] } = state;
  return [
    ...(objective ? [`Objective: ${objective}`] : []),
    ...list(
      'Actions, in their order',
      actions.map(({ id, description }) => `${id}: ${description}`),
    ),
    ...list(
      'Exit conditions',
      exits.map((exit) => exitLine(exit, mapLines)),
    ),
    ...list('How to move', state.intra_state_navigation_guidelines),
    ...list('Boundaries', state.boundary_constraints),
    ...list('How to decide', state.decision_guidelines),
  ];
}

/** Omits the target of an exit if the map contains it. */
function exitLine(
  { id, description, next_state: to }: NonNullable<StateMeta['exits']>[number],
  mapLines: readonly string[],
): string {
  const isMapped = mapLines.some(
    (line) => line.startsWith(`  (${description}) -> [`) && line.endsWith(`] ${to}`),
  );
  return `${id}: ${description}${isMapped ? '' : ` (to ${to})`}`;
}

function list(name: string, lines: readonly string[] = []): string[] {
  return lines.length === 0 ? [] : [`${name}:`, ...lines];
}

/** Predicts the message for each action. In a state whose message may use tools first, the reply is asked for as usual. */
export function nextReply(scope: GraphScope): NextReply | undefined {
  const { actions = [] } = currentState(scope);
  if (toolsOf(scope, 'action_tools').length > 0) return undefined;
  const prompt = newSections(engagePrompt(scope), choicePrompt(scope));
  const cases = actions.map(({ id, description }) => ({
    id,
    prompt: [],
    asks: [],
    directions: [{ text: description }],
  }));
  return { prompt, tools: [], cases };
}

/** The inputs of the ports. An input is created when the call begins and is stored with it. */

export interface WithTools {
  readonly tools: ToolList;
}

/** The most memories to retrieve. */
const mostMemories = 10;

/** Active memory is asked with the person's own words, or with the objective when the agent speaks first. */
function remember(scope: GraphScope): PortInput<'recall'> {
  const { message } = scope.context;
  const about = message?.trim() || currentState(scope).objective || '';
  return { ...call(scope, 'remember'), queries: [about], limit: mostMemories };
}

function choosing(purpose: 'select' | 'decide') {
  return (scope: GraphScope, { tools }: WithTools): PortInput<'choose'> => {
    const { actions = [], exits = [] } = currentState(scope);
    const [first] = actions;
    const open = first && traversalOf(scope).masked ? [] : exits;
    return {
      ...call(scope, purpose),
      prompt: choicePrompt(scope),
      options: [...actions, ...open].map(({ id, description }) => ({ id, description })),
      // Without a met exit condition, the conversation stays.
      ...(first ? { fallback: first.id } : {}),
      ...offered(scope, tools),
    };
  };
}

function reflect(scope: GraphScope, { tools }: WithTools): PortInput<'think'> {
  return { ...call(scope, 'reflect'), prompt: reflectPrompt(scope), ...offered(scope, tools) };
}

function engage(scope: GraphScope, { tools }: WithTools): PortInput<'reply'> {
  const { selected } = traversalOf(scope);
  const { actions = [], exits = [] } = currentState(scope);
  const action = actions.find(({ id }) => id === selected);
  const announced =
    selected === end ? announcements.end : selected === human ? announcements.handOver : undefined;
  return {
    ...replyInput(scope.context, graphCallKey(scope, 'engage')),
    prompt: engagePrompt(scope),
    asks: [],
    directions: [announced ?? { text: action?.description ?? '' }],
    tools: [],
    ...(announced ? {} : offered(scope, tools)),
    ...((exits.length === 0 || selected === end) && { ends: true }),
  };
}

function performQueries(scope: GraphScope): PortInput<'recall'> {
  return { ...call(scope, 'recall'), queries: newQueries(scope), limit: mostMemories };
}

function wordQueries(scope: GraphScope): PortInput<'extract'> {
  return {
    ...call(scope, 'queries'),
    prompt: wordQueriesPrompt(scope),
    schema: objectSchema({ queries: { type: 'array', items: { type: 'string' } } }, ['queries']),
  };
}

function prepareCall(scope: GraphScope, { tools }: WithTools): PortInput<'extract'> {
  const { designated, validations = [] } = currentState(scope);
  const built = designated?.parameters ?? { type: 'object' };
  const failed: JsonObject = {
    failed_validations: { type: 'array', items: { type: 'string', enum: validations } },
  };
  return {
    ...call(scope, 'prepare'),
    prompt: prepareCallPrompt(scope),
    schema: objectSchema({ arguments: built, ...(validations.length > 0 ? failed : {}) }, [
      'arguments',
    ]),
    ...offered(scope, tools),
  };
}

/** A tool is called by its id: its name is for the model. */
function useTool(scope: GraphScope, { tools }: WithTools): PortInput<'callTool'> {
  const { tool, arguments: given } = calledTool(scope, tools);
  const { tool_id: id, name } = tool;
  const key = graphCallKey(scope, 'tool');
  return { key, tool: id, ...(name !== id && { name }), arguments: given };
}

/** The tools on offer. */
function offered(scope: GraphScope, from: ToolList): { tools?: ToolSpec[] } {
  const tools = offeredTools(scope, from);
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}

function call(scope: GraphScope, purpose: string) {
  return callInput(scope.context, graphCallKey(scope, purpose));
}

export const inputs = {
  remember,
  select: choosing('select'),
  decide: choosing('decide'),
  reflect,
  engage,
  performQueries,
  wordQueries,
  prepareCall,
  useTool,
  ...summaryBehaviour.inputs,
};
