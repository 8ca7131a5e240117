import type { Json, JsonObject, ToolCall } from '@dramaturg/compiler';
import { agentRequests, type AgentRequests, errorMessage } from '@dramaturg/conversation';
import { type Knowledge, latest, noTools, shortened } from '../context.ts';
import { shownState } from '../names.ts';
import { answerFields, refuseUnread } from './answer.ts';
import {
  change,
  currentState,
  type GraphAction,
  type GraphActions,
  type GraphScope,
  outputOf,
  type Place,
  type ToolList,
  type ToolMeta,
  toolsOf,
  traversalOf,
} from './meta.ts';

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

export const toolActions = {
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

  takeArguments: (scope) => {
    const { value } = outputOf(scope) as { value: JsonObject };
    return {
      ...change(scope, { arguments: value['arguments'] as JsonObject, tools: noTools }),
      emit: refuseUnread(scope, answerFields.call),
    };
  },
} satisfies GraphActions;

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
      ...(kept ? { knowledge: withKept(knowledge, { ...result, text: shortened(text) }) } : {}),
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

function withKept(knowledge: Knowledge, result: Knowledge['results'][number]): Knowledge {
  return { ...knowledge, results: latest([...knowledge.results, result]) };
}
