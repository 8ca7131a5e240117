import type { JsonObject, PortInput, ToolSpec } from '@dramaturg/compiler';
import {
  announcements,
  callInput,
  end,
  human,
  replyInput,
  summaryBehaviour,
} from '@dramaturg/conversation';
import { newQueries } from './answer.ts';
import {
  currentState,
  type GraphScope,
  type ToolList,
  type ToolMeta,
  toolsOf,
  traversalOf,
} from './meta.ts';
import {
  decidePrompt,
  engagePrompt,
  prepareCallPrompt,
  reflectPrompt,
  selectPrompt,
  wordQueriesPrompt,
} from './prompt.ts';
import { emailOf, offeredTools } from './tool-use.ts';
import { graphCallKey } from './turn.ts';

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

function select(scope: GraphScope, { tools }: WithTools): PortInput<'choose'> {
  const { actions = [], exits = [] } = currentState(scope);
  const open = traversalOf(scope).masked ? [] : exits;
  const [first] = actions;
  return {
    ...call(scope, 'select'),
    prompt: selectPrompt(scope),
    options: [...actions, ...open].map(({ id, description }) => ({ id, description })),
    // Without a met exit condition, the conversation stays.
    ...(first ? { fallback: first.id } : {}),
    ...offered(scope, tools),
  };
}

function decide(scope: GraphScope, { tools }: WithTools): PortInput<'choose'> {
  const { exits = [] } = currentState(scope);
  return {
    ...call(scope, 'decide'),
    prompt: decidePrompt(scope),
    options: exits.map(({ id, description }) => ({ id, description })),
    ...offered(scope, tools),
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
    schema: {
      type: 'object',
      properties: { queries: { type: 'array', items: { type: 'string' } } },
      required: ['queries'],
      additionalProperties: false,
    },
  };
}

function prepareCall(scope: GraphScope, { tools }: WithTools): PortInput<'extract'> {
  const { designated, validations = [] } = currentState(scope);
  const failed: JsonObject = {
    failed_validations: { type: 'array', items: { type: 'string', enum: validations } },
  };
  return {
    ...call(scope, 'prepare'),
    prompt: prepareCallPrompt(scope),
    schema: {
      type: 'object',
      properties: {
        arguments: designated?.parameters ?? { type: 'object' },
        ...(validations.length > 0 ? failed : {}),
      },
      required: ['arguments'],
      additionalProperties: false,
    },
    ...offered(scope, tools),
  };
}

/** A tool is called by its id: its name is for the model. */
function useTool(scope: GraphScope): PortInput<'callTool'> {
  const [wanted] = traversalOf(scope).tools.pending;
  const tool = allTools(scope).find(({ name }) => name === wanted?.name);
  return {
    key: graphCallKey(scope, 'tool'),
    ...calledAs(tool),
    arguments: wanted?.arguments ?? {},
  };
}

function calledAs({ tool_id: tool, name }: Partial<ToolMeta> = {}) {
  return { tool: tool ?? '', ...(name !== undefined && name !== tool && { name }) };
}

function allTools(scope: GraphScope) {
  const lists = ['action_tools', 'exit_tools', 'tools'] as const;
  return lists.flatMap((list) => toolsOf(scope, list));
}

function callDesignated(scope: GraphScope): PortInput<'callTool'> {
  const { designated } = currentState(scope);
  return {
    key: graphCallKey(scope, 'tool'),
    ...calledAs(designated),
    arguments: traversalOf(scope).arguments,
  };
}

function sendEmail(scope: GraphScope): PortInput<'callTool'> {
  return { key: graphCallKey(scope, 'tool'), tool: 'send-email', arguments: emailOf(scope) };
}

/** The tools on offer. */
function offered(scope: GraphScope, list: ToolList): { tools?: ToolSpec[] } {
  const tools = offeredTools(scope, list);
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
  select,
  decide,
  reflect,
  engage,
  performQueries,
  wordQueries,
  prepareCall,
  useTool,
  callDesignated,
  sendEmail,
  ...summaryBehaviour.inputs,
};
