import {
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  type PortOutput,
  type ToolCall,
} from '@dramaturg/compiler';
import {
  agentRequests,
  type AgentRequests,
  errorMessage,
  refusedFields,
} from '@dramaturg/conversation';
import { type Knowledge, latest, mostQueries, noTools, shortened } from '../context.ts';
import type { ExitMeta, ToolMeta } from '../lower/meta.ts';
import { shownState } from '../names.ts';
import {
  change,
  currentState,
  type GraphAction,
  type GraphActions,
  type GraphScope,
  outputOf,
  type Place,
  type ToolList,
  toolsOf,
  traversalOf,
} from './meta.ts';

/** The model's answer, word for word. */
export function writtenAnswer(scope: GraphScope): string {
  return (outputOf(scope) as PortOutput<'choose'>).option;
}

/**
 * The option that an answer names: an action's or exit's id; else the target or the description of an exit, if all exits that
 * match lead to one state. A state that is not the target of an exit is an invalid answer, even if it exists. Spec:
 * docs/formats/context-graph.md#answers
 */
export function pickedOption(scope: GraphScope): string | undefined {
  const answer = writtenAnswer(scope);
  const { actions = [], exits = [] } = currentState(scope);
  if (actions.some(({ id }) => id === answer)) return answer;
  return traversalOf(scope).masked ? undefined : pickedExit(answer, exits)?.id;
}

function pickedExit(answer: string, exits: readonly ExitMeta[]): ExitMeta | undefined {
  const byId = exits.find(({ id }) => id === answer);
  if (byId) return byId;
  const matching = exits.filter(
    ({ next_state, description }) => next_state === answer || description === answer,
  );
  return new Set(matching.map(({ to }) => to)).size === 1 ? matching[0] : undefined;
}

/** The exit that an answer names. */
export function exitPicked(scope: GraphScope): ExitMeta | undefined {
  const picked = pickedOption(scope);
  return currentState(scope).exits?.find(({ id }) => id === picked);
}

/** Reads answers of the port `extract`: queries for a recall, arguments for a tool. Untrusted, so field by field. */

/** The queries of the current recall that this conversation has not performed yet. Compares trimmed strings exactly. */
export function newQueries(scope: Place): string[] {
  const { queries = [] } = currentState(scope);
  const { wanted, knowledge } = traversalOf(scope);
  const asked = (queries.length > 0 ? queries : wanted).map((query) => query.trim());
  return [...new Set(asked)].filter((query) => query !== '' && !knowledge.queries.includes(query));
}

/** The most queries of one answer, and the length at which a query is cut. */
const mostWorded = 20;
const longestQuery = 500;

function wordedQueries(scope: GraphScope): string[] {
  return textsIn(extractedIn(scope)['queries'])
    .slice(0, mostWorded)
    .map((query) => query.slice(0, longestQuery));
}

function extractedIn({ event }: GraphScope): JsonObject {
  return (event['output'] as { value: JsonObject }).value;
}

function textsIn(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.filter((one: Json) => typeof one === 'string') : [];
}

/** The fields of the answers that are read. */
const answerFields = {
  queries: ['queries'],
  call: ['arguments', 'failed_validations'],
};

/** Refuses the fields of an answer that are not read. */
function refuseUnread(scope: GraphScope, known: readonly string[]): EventObject[] {
  return refusedFields(extractedIn(scope), known, currentState(scope).title);
}

/** The arguments for the designated tool, and the validations that they fail. */
export function preparedCall(scope: GraphScope) {
  const { arguments: built = null, failed_validations: failed } = extractedIn(scope);
  const { validations = [] } = currentState(scope);
  if (!isRecord(built)) return { arguments: {}, problems: ['No arguments were built.'] };
  const problems = validations.filter((validation) => textsIn(failed).includes(validation));
  return { arguments: built, problems };
}

/** Actions that add knowledge to a turn, which counts once the turn is spoken, and those of the tools that a model requests. */

export const answerActions = {
  /** Takes the memories of active memory, before an action is selected. */
  takeActiveMemory: (scope) => {
    const { remembered, state } = traversalOf(scope);
    const { memories, emit } = takenMemories(scope);
    return {
      ...change(scope, {
        remembered: [...remembered, state],
        knowledge: withMemories(scope, memories),
      }),
      emit,
    };
  },

  /** Takes the results of a recall state's queries. */
  takeRecalled: (scope) => {
    const queries = newQueries(scope);
    const { memories, emit } = takenMemories(scope);
    const knowledge = withMemories(scope, memories);
    return {
      ...change(scope, {
        performed: queries,
        knowledge: {
          ...knowledge,
          queries: latest([...knowledge.queries, ...queries], mostQueries),
        },
      }),
      emit,
    };
  },

  takeQueries: (scope) => ({
    ...change(scope, { wanted: wordedQueries(scope) }),
    emit: refuseUnread(scope, answerFields.queries),
  }),

  takeThought: (scope) => {
    const { word_limit: limit, cut } = currentState(scope);
    const { text } = outputOf(scope) as PortOutput<'think'>;
    return think(scope, cut && limit !== undefined ? cutToWords(text, limit) : text);
  },

  annotate: (scope) => think(scope, currentState(scope).inner_thought ?? ''),

  /** Adds an event for the client. It is emitted with the turn, so a turn that fails triggers nothing. */
  triggerEffect: (scope) => {
    const { events } = traversalOf(scope);
    const { title, side_effect: effect } = currentState(scope);
    const name = effect?.['event_name'];
    return change(scope, {
      events: [
        ...events,
        {
          type: 'effect.triggered',
          state: title,
          event_name: typeof name === 'string' ? name : '',
        },
      ],
    });
  },

  /** Refuses arguments that are missing or fail a validation. The repeated call tells the model why. */
  refuseArguments: (scope) => {
    const refused = preparedCall(scope).problems.join(' ');
    return {
      ...change(scope, { refused, tools: noTools }),
      emit: refuseUnread(scope, answerFields.call),
    };
  },

  queueTools: (scope, { tools: list }: { tools: ToolList }) => {
    const { tools } = traversalOf(scope);
    const pending = wantedTools(scope, list).slice(0, mostAtOnce);
    const { ending = null, events } = requestsIn(scope, list);
    return {
      ...change(scope, { ending, tools: { ...tools, rounds: tools.rounds + 1, pending } }),
      emit: events,
    };
  },

  takeToolResult: (scope, { tools }: { tools: ToolList }) => {
    const { text, fate, result, ...called } = resultOf(scope, tools);
    return withResult(scope, called, text, fate === 'kept', { result });
  },

  /**
   * Takes an error as the result. A state that calls a tool itself has no error edge, so its error is kept: a later state reads it
   * and decides.
   */
  takeToolError: (scope, { tools }: { tools: ToolList }) => {
    const error = errorMessage(scope.event);
    const what = tools === 'email' ? 'The e-mail was not sent' : 'The tool failed';
    const kept = tools === 'email' || tools === 'designated';
    return withResult(scope, calledTool(scope, tools), `${what}: ${error}`, kept, { error });
  },

  giveUpCall: (scope) => {
    const error = `It was not called: ${traversalOf(scope).refused ?? ''}`;
    return withResult(scope, { tool: currentState(scope).designated! }, error, true, { error });
  },

  takeArguments: (scope) => ({
    ...change(scope, { arguments: preparedCall(scope).arguments, tools: noTools }),
    emit: refuseUnread(scope, answerFields.call),
  }),
} satisfies GraphActions;

function takenMemories(scope: GraphScope): { memories: string[]; emit: EventObject[] } {
  const found = (outputOf(scope) as PortOutput<'recall'>).memories.map(({ text }) => text);
  const state = currentState(scope).title;
  return {
    memories: found,
    emit: found.length > 0 ? [{ type: 'memory.recalled', state, memories: found }] : [],
  };
}

/** Adds memories. A known memory is not added again; it moves to the end. */
function withMemories(scope: GraphScope, found: readonly string[]): Knowledge {
  const { knowledge } = traversalOf(scope);
  const texts = found.map((text) => shortened(text));
  const others = knowledge.memories.filter((memory) => !texts.includes(memory));
  return { ...knowledge, memories: latest([...others, ...new Set(texts)]) };
}

/** Cuts after the last whole word. */
function cutToWords(text: string, limit: number): string {
  let words = 0;
  for (const { index, 0: word } of text.matchAll(/\S+/gu)) {
    words += 1;
    if (words === limit) return text.slice(0, index + word.length);
  }
  return text;
}

function think(scope: GraphScope, text: string): ReturnType<GraphAction> {
  const { knowledge, events } = traversalOf(scope);
  const state = currentState(scope).title;
  const at = scope.context.messages + thoughtsIn(events) + 1;
  return change(scope, {
    knowledge: {
      ...knowledge,
      thoughts: latest([...knowledge.thoughts, { state, text: shortened(text), at }]),
    },
    events: [...events, { type: 'thought.added', state, text }],
  });
}

/** How many thoughts a turn has had. They become messages of the conversation once the turn is spoken. */
export function thoughtsIn(events: readonly EventObject[]): number {
  return events.filter(({ type }) => type === 'thought.added').length;
}

/** Tools during a turn: the calls that a model requests, their results, and who sees the results. */

/** How often a model may request tools before it answers, and how many in one request. */
const mostRounds = 4;
const mostAtOnce = 8;

/** In UTF-16 units. A result of exactly this length is kept by `persisted`, but not by `persisted-preferred`. */
export const longestPersisted = 5_000;

/** How long a result is kept, by its tool's `result_persistence`. Spec: docs/formats/context-graph.md#result-persistence */
function fateOf(persistence: ToolMeta['result_persistence'], text: string): Fate {
  switch (persistence) {
    case 'ephemeral':
      return 'seen once';
    case 'persisted-preferred':
      return text.length < longestPersisted ? 'kept' : 'seen once';
    case 'persisted':
      return text.length <= longestPersisted ? 'kept' : 'too long';
  }
}

type Fate = 'seen once' | 'kept' | 'too long';

interface Called {
  readonly tool: ToolMeta;
  readonly arguments: JsonObject;
}

/** The tool to call, or that was called: the first one that the model has requested, the designated one, or the e-mail. */
export function calledTool(scope: GraphScope, list: ToolList): Called {
  const { tools, arguments: built } = traversalOf(scope);
  const listed = toolsOf(scope, list);
  const [first] = listed;
  if (list === 'designated') return { tool: first!, arguments: built };
  if (list === 'email') {
    const { type: _, ...fields } = currentState(scope).side_effect ?? {};
    return { tool: first!, arguments: fields };
  }
  const [wanted] = tools.pending;
  const tool = listed.find(({ name }) => name === wanted?.name) ?? first!;
  return { tool, arguments: wanted?.arguments ?? {} };
}

/** The result of the tool that was called. */
export function resultOf(scope: GraphScope, list: ToolList) {
  const { result = null } = outputOf(scope) as { result?: Json };
  const called = calledTool(scope, list);
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return { ...called, result, text, fate: fateOf(called.tool.result_persistence, text) };
}

/** The tools that the model may still use: none once it has used them often enough. */
export function offeredTools(scope: Place, list: ToolList): readonly ToolMeta[] {
  return traversalOf(scope).tools.rounds < mostRounds ? toolsOf(scope, list) : [];
}

function toolCallsIn(scope: GraphScope): readonly ToolCall[] {
  const { toolCalls = [] } = outputOf(scope) as { toolCalls?: readonly ToolCall[] };
  return toolCalls;
}

/** The requests in the agent's answer besides calls of the tools that the state offers. */
export function requestsIn(scope: GraphScope, list: ToolList = 'action_tools'): AgentRequests {
  const offered = offeredTools(scope, list).map(({ name }) => name);
  return agentRequests(toolCallsIn(scope), offered, shownState(traversalOf(scope).state));
}

/** The calls of tools that the model requests. */
export function wantedTools(scope: GraphScope, list: ToolList): readonly ToolCall[] {
  const known = new Set(offeredTools(scope, list).map(({ name }) => name));
  return toolCallsIn(scope).filter(({ name }) => known.has(name));
}

/** Adds a result. The current question always sees it; later ones see it if it is kept. */
function withResult(
  scope: GraphScope,
  { tool, ...called }: Pick<Called, 'tool'> & Partial<Called>,
  text: string,
  kept: boolean,
  outcome: { result?: Json; error?: string },
): ReturnType<GraphAction> {
  const { tools, knowledge } = traversalOf(scope);
  const result = { tool: tool.name, text: shortened(text, longestSeen) };
  return {
    ...change(scope, {
      tools: {
        ...tools,
        pending: tools.pending.slice(1),
        results: [...tools.results, result],
      },
      ...(kept && {
        knowledge: {
          ...knowledge,
          results: latest([...knowledge.results, { ...result, text: shortened(text) }]),
        },
      }),
    }),
    emit: [
      {
        type: 'tool.called',
        tool: tool.name,
        state: currentState(scope).title,
        ...called,
        ...outcome,
        kept,
      },
    ],
  };
}

/** The most UTF-16 units of results for one question. */
const longestSeen = 100_000;
