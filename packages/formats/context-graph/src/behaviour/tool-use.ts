import type { Json, JsonObject, ToolCall } from '@dramaturg/compiler';
import { agentRequests, type AgentRequests, errorMessage } from '@dramaturg/conversation';
import { type Knowledge, latest, noTools, shortened } from '../context.ts';
import { shownState } from '../names.ts';
import { answerFields, refuseUnread } from './answer.ts';
import {
  change,
  currentState,
  type GraphAction,
  type GraphScope,
  outputOf,
  type ToolList,
  type ToolMeta,
  toolsOf,
  traversalOf,
} from './meta.ts';

/** Tools during a turn: the calls that a model requests, their results, and who sees the results. */

/** How often a model may request tools before it answers, and how many in one request. */
export const mostRounds = 4;
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
  readonly text: string;
  readonly result: Json;
  readonly fate: Fate;
}

/** The result of the tool that was called. */
export function resultOf(scope: GraphScope, list: ToolList): Called {
  const { result = null } = outputOf(scope) as { result?: Json };
  const tool = calledTool(scope, list);
  const text = toText(result);
  return { tool, result, text, fate: fateOf(tool.result_persistence, text) };
}

function calledTool(scope: GraphScope, list: ToolList): ToolMeta {
  const tools = toolsOf(scope, list);
  const name = traversalOf(scope).tools.pending[0]?.name;
  return tools.find((tool) => tool.name === name) ?? tools[0]!;
}

/** The arguments that the model has requested. */
function wanted(scope: GraphScope): Pick<ToolCall, 'arguments'> {
  return { arguments: traversalOf(scope).tools.pending[0]?.arguments ?? {} };
}

/** The arguments of the designated tool. */
function built(scope: GraphScope): Pick<ToolCall, 'arguments'> {
  return { arguments: traversalOf(scope).arguments };
}

/** An e-mail as the arguments of a tool. */
export function emailOf(scope: GraphScope): JsonObject {
  const { type: _, ...fields } = currentState(scope).side_effect ?? {};
  return fields;
}

function toText(result: Json): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

/** The requests in the agent's answer besides calls of the tools that the state offers. */
export function requestsIn(scope: GraphScope, list: ToolList = 'action_tools'): AgentRequests {
  const { toolCalls = [] } = outputOf(scope) as { toolCalls?: readonly ToolCall[] };
  const { state, tools } = traversalOf(scope);
  const offered = tools.rounds < mostRounds ? toolsOf(scope, list).map(({ name }) => name) : [];
  return agentRequests(toolCalls, offered, shownState(state));
}

const queueTools: GraphAction<{ tools: ToolList }> = (scope, { tools: list }) => {
  const { toolCalls = [] } = outputOf(scope) as { toolCalls?: readonly ToolCall[] };
  const known = new Set(toolsOf(scope, list).map(({ name }) => name));
  const { tools } = traversalOf(scope);
  const pending = toolCalls.filter(({ name }) => known.has(name)).slice(0, mostAtOnce);
  const { ending = null, events } = requestsIn(scope, list);
  return {
    ...change(scope, { ending, tools: { ...tools, rounds: tools.rounds + 1, pending } }),
    emit: events,
  };
};

const takeToolResult: GraphAction<{ tools: ToolList }> = (scope, { tools: list }) => {
  const { tool, text, result, fate } = resultOf(scope, list);
  return withResult(scope, tool, text, fate === 'kept', { ...wanted(scope), result });
};

const takeToolError: GraphAction<{ tools: ToolList }> = (scope, { tools: list }) => {
  const error = errorMessage(scope.event);
  return withResult(scope, calledTool(scope, list), `The tool failed: ${error}`, false, {
    ...wanted(scope),
    error,
  });
};

const takeDesignatedResult: GraphAction = (scope) => {
  const { tool, text, result, fate } = resultOf(scope, 'designated');
  return withResult(scope, tool, text, fate === 'kept', { ...built(scope), result });
};

/** Takes an error as the result: there is no error edge, so a later state reads the error and decides. */
const takeDesignatedError: GraphAction = (scope) => {
  const error = errorMessage(scope.event);
  return withResult(scope, currentState(scope).designated!, `The tool failed: ${error}`, true, {
    ...built(scope),
    error,
  });
};

const giveUpCall: GraphAction = (scope) => {
  const error = `It was not called: ${traversalOf(scope).refused ?? ''}`;
  return withResult(scope, currentState(scope).designated!, error, true, { error });
};

const email: ToolMeta = {
  tool_id: 'send-email',
  name: 'send-email',
  description: '',
  parameters: {},
  result_persistence: 'ephemeral',
};

const takeEmailSent: GraphAction = (scope) => {
  const { result = null } = outputOf(scope) as { result?: Json };
  return withResult(scope, email, toText(result), false, {
    arguments: emailOf(scope),
    result,
  });
};

const takeEmailFailed: GraphAction = (scope) => {
  const error = errorMessage(scope.event);
  return withResult(scope, email, `The e-mail was not sent: ${error}`, true, {
    arguments: emailOf(scope),
    error,
  });
};

/** Adds a result. The current question always sees it; later ones see it if it is kept. */
function withResult(
  scope: GraphScope,
  tool: ToolMeta,
  text: string,
  kept: boolean,
  outcome: { arguments?: JsonObject; result?: Json; error?: string },
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

const takeArguments: GraphAction = (scope) => {
  const { value } = outputOf(scope) as { value: JsonObject };
  return {
    ...change(scope, { arguments: value['arguments'] as JsonObject, tools: noTools }),
    emit: refuseUnread(scope, answerFields.call),
  };
};

export const toolActions = {
  queueTools,
  takeToolResult,
  takeToolError,
  takeDesignatedResult,
  takeDesignatedError,
  giveUpCall,
  takeEmailSent,
  takeEmailFailed,
  takeArguments,
};
