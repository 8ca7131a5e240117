import {
  isRecord,
  type Json,
  type Port,
  PortError,
  type PortInput,
  type Ports,
  type ToolSpec,
} from '@dramaturg/compiler';
import {
  isToolPattern,
  mayUseTool,
  requireEnforced,
  toolNamesOnly,
} from '@dramaturg/compiler/machine';
import { didYouMean } from '@dramaturg/compiler/text';
import { asJson } from '@dramaturg/host/tools';
import type { AIMessage } from '@langchain/core/messages';
import { ClosedAnswers, ToolAnswers } from '../answer/closed-answers.ts';
import { type Asking, paidPort, type Spending } from '../model/asking.ts';
import { readCompletion } from '../model/completion.ts';
import type { Model } from '../model/model.ts';
import type { LangchainOptions } from '../options.ts';
import { type Fence, fenceOf, stance } from '../prompt/composer.ts';
import { type AgentCall, isDefinition, type Runnable } from './agent.ts';
import { runDefinition } from './definition.ts';
import { OfferedTools, parsed } from '../answer/tool-calls.ts';
import type { Message } from '../model/chat-model.ts';
import { unusableAnswer } from '../model/model-errors.ts';
import { plainTools } from '../tools/plain-tools.ts';

/** Fields that the workflow enforces when it runs the tools that a played agent asks for. */
const enforcedForPlayed = [
  ...toolNamesOnly,
  ...['RateLimits', 'Timeout', 'Validation', 'Domains', 'Network', 'FileSystem', 'Hooks'].map(
    (field) => `Tools.${field}`,
  ),
];

/** The maximum depth of definitions that run as agents of one another. */
const depthMax = 8;

/**
 * Runs agents by their names. If a function throws, its task fails.
 *
 * @param others the ports of definitions that run as agents, except `runAgent`
 */
export function runAgentPort(
  options: Pick<LangchainOptions, 'agents' | 'playAgents' | 'tools'>,
  model: Model,
  others: Partial<Ports>,
  depth = 0,
): Port<'runAgent'> {
  const { agents = {}, playAgents = false, tools } = options;
  const player = {
    model,
    answers: new ToolAnswers(model),
    closed: new ClosedAnswers(model),
    tools,
  };
  const resultOf = async (request: PortInput<'runAgent'>, asking: Asking): Promise<unknown> => {
    const { input, ...rest } = request;
    const { agent: name } = rest;
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
    const call = { ...rest, signal: asking.call.signal };
    if (agent === undefined) {
      if (playAgents) requireEnforced(name, request.tools, enforcedForPlayed);
      if (playAgents) return playAgent(player, request, asking).catch(asFailure);
      throw unknown(name, Object.keys(agents));
    }
    const isFunction = typeof agent === 'function';
    requireEnforced(name, request.tools, agent.enforces ?? (isFunction ? [] : toolNamesOnly));
    if (isFunction) return agent(input, call);
    if (!isDefinition(agent)) return invoke(agent, input, call, asking.spending);
    if (depth === depthMax) throw tooDeep(name);
    const ports = { ...others, runAgent: runAgentPort(options, model, others, depth + 1) };
    return runDefinition(agent, input, { call, ports, spending: asking.spending });
  };
  return paidPort('runAgent', async (request, asking) => {
    const result = await resultOf(request, asking);
    const what = `The result of the agent "${request.agent}"`;
    return { result: asJson(result, what, 'runAgent').value };
  });
}

function unknown(name: string, names: readonly string[]): PortError {
  const hint =
    didYouMean(name, names) ??
    (names.length > 0 ? `Known agents: ${names.join(', ')}.` : 'Pass it in agents.');
  return notRun(`There is no agent "${name}". ${hint}`, 'States.AgentNotFound');
}

function tooDeep(name: string): PortError {
  const message = `The agent "${name}" cannot run: definitions already run one another as agents ${depthMax} levels deep.`;
  return notRun(message, 'States.AgentInvocationFailed');
}

/** Keeps the message of a failed model call as the cause that the workflow reports. */
function asFailure(error: unknown): never {
  if (!(error instanceof PortError)) throw error;
  throw notRun(error.message, 'States.TaskFailed', error);
}

/** A failure that workflows can catch by its name. */
function notRun(message: string, error: string, because?: PortError): PortError {
  const cause = Object.assign(new Error(message, { cause: because }), { error });
  return new PortError(because?.code ?? 'port/failed', 'runAgent', message, { cause });
}

/** Runs a runnable of LangChain, or an agent of `createAgent`. Counts the usage of all models in it. */
async function invoke(
  agent: Runnable,
  input: Json,
  call: AgentCall,
  spending: Spending,
): Promise<unknown> {
  const callbacks = [await countingIn(spending), ...(call.tools ? [await guardOf(call)] : [])];
  const { signal, ...fields } = call;
  const config = { signal, metadata: { idempotencyKey: call.key, ...fields }, callbacks };
  if (!takesMessages(agent)) return unwrapped(await agent.invoke(input, config));
  return lastWords(await agent.invoke(conversationOf(input, call), config));
}

/** LangChain is loaded already, because the user made the runnable with it. */
async function countingIn(spending: Spending): Promise<object> {
  const { BaseCallbackHandler } = await import('@langchain/core/callbacks/base');
  const counting = BaseCallbackHandler.fromMethods({
    handleChatModelStart: (_model, _messages, _run, _parent, extra) => {
      const { model } = (extra?.['invocation_params'] ?? {}) as { readonly model?: unknown };
      spending.asks(typeof model === 'string' ? model : undefined);
    },
    handleLLMEnd: ({ generations }) => {
      for (const generation of generations.flat())
        if ('message' in generation) spending.answers(readCompletion(generation.message));
    },
  });
  // The usage must be complete when the result returns.
  counting.awaitHandlers = true;
  return counting;
}

/**
 * Stops each tool that the call does not permit, before it runs. The name of a tool is that of its run in LangChain; for a tool
 * class, that in the model's call. A tool with an unknown name is not permitted.
 */
async function guardOf({ agent, tools }: AgentCall): Promise<object> {
  const { BaseCallbackHandler } = await import('@langchain/core/callbacks/base');
  const calledAs = new Map<string, string>();
  const require = (names: readonly (string | undefined)[]) => {
    const known = names.filter((name) => name !== undefined);
    if (known.length > 0 && known.every((name) => mayUseTool(tools!, name))) return;
    throw toolRefused(agent, known[0]);
  };
  const guard = BaseCallbackHandler.fromMethods({
    handleToolStart: (_tool, _input, _run, _parent, _tags, _metadata, runName, toolCallId) =>
      require([runName, calledAs.get(toolCallId ?? '')]),
    handleLLMEnd: ({ generations }) => {
      for (const generation of generations.flat())
        if ('message' in generation)
          for (const { id, name } of (generation.message as AIMessage).tool_calls ?? [])
            if (id !== undefined) calledAs.set(id, name);
    },
    // The provider runs its own tools, so they are refused before the model is called.
    handleChatModelStart: (_model, _messages, _run, _parent, extra) => {
      const { tools: offered } = (extra?.['invocation_params'] ?? {}) as { tools?: unknown };
      for (const { type, name } of Array.isArray(offered) ? (offered as ProviderTool[]) : [])
        if (type !== undefined && !['function', 'custom'].includes(type)) require([type, name]);
    },
  });
  guard.awaitHandlers = true;
  guard.raiseError = true;
  return guard;
}

interface ProviderTool {
  readonly type?: string;
  readonly name?: string;
}

function toolRefused(agent: string, name?: string): Error {
  const tool = name === undefined ? 'a tool without a name' : `the tool "${name}"`;
  const message = `The agent "${agent}" may not use ${tool}.`;
  return Object.assign(new Error(message), { error: 'States.Permissions' });
}

/** An agent of `createAgent` is a graph over messages. */
function takesMessages(agent: Runnable): boolean {
  return 'graph' in agent && 'options' in agent;
}

/** Makes messages from the input and the results of earlier answers. Input that already is a conversation is kept. */
function conversationOf(input: Json, call: AgentCall) {
  const fence = fenceOf(call.key);
  const more = earlierAnswers(call, fence);
  if (isRecord(input) && Array.isArray(input['messages'])) {
    const messages = [...(input['messages'] as Json[]), ...more.map(asUser)];
    return { ...input, messages };
  }
  const text = typeof input === 'string' ? input : JSON.stringify(input, undefined, 1);
  const work = `Do your work on this input:\n${fence(text, 'the workflow')}`;
  return { messages: [{ role: 'system', content: stance }, asUser([work, ...more].join('\n\n'))] };
}

function asUser(content: string) {
  return { role: 'user', content };
}

/** The structured response of the agent, or else the text of its last message. */
function lastWords(state: unknown): unknown {
  if (!isRecord(state)) return state;
  if (state['structuredResponse'] !== undefined) return state['structuredResponse'];
  const { messages } = state;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isRecord(last) ? wholeText(last) : null;
}

/** Unwraps a message, as a chat model or a chain that ends in one returns it: its text is the result. */
function unwrapped(result: unknown): unknown {
  const isMessage = isRecord(result) && 'lc_namespace' in result && 'content' in result;
  return isMessage ? wholeText(result) : result;
}

function wholeText(message: Readonly<Record<string, unknown>>): string {
  const { text, cutOff } = readCompletion(message);
  if (cutOff !== undefined) throw new Error("The answer of the agent's model was cut off.");
  return text;
}

type AgentInput = PortInput<'runAgent'>;

/**
 * Lets the model do the work of an agent that is not implemented, from the agent's name and its call. It uses the model and the
 * options of the ports, not those of the definition. The calls of tools that the model makes are the result: the workflow
 * performs each as a call of its own, and asks again.
 */
async function playAgent(
  { model, answers, closed, tools }: Player,
  call: AgentInput,
  asking: Asking,
): Promise<Json> {
  const specs = await toolsFor(call, tools);
  const offered = new OfferedTools(specs);
  const instructions = [stance, roleOf(call), formOf(call)];
  const text = JSON.stringify(call.input, undefined, 1);
  // The marks are the same for all tasks of a workflow, so that providers can cache the constant part of their inputs.
  const fence = fenceOf(asking.call.instance ?? call.key);
  const parts = [`The input:\n${fence(text, 'the workflow')}`, ...earlierAnswers(call, fence)];
  const messages: Message[] = [
    { role: 'system', content: instructions.join('\n\n') },
    { role: 'user', content: parts.join('\n\n') },
  ];
  const { schema, reasoning } = call;
  // Providers take the schema of an object only.
  if (schema?.['type'] === 'object' && reasoning === undefined) {
    const read = (answer: unknown) => ({ answer: answer as Json });
    const question = { messages, schema, strict: false, tools: specs, read };
    const given = await closed.ask(question, asking);
    if ('toolCalls' in given) return { toolCalls: given.toolCalls as unknown as Json };
    return 'answer' in given ? given.answer : ((given.value ?? null) as Json);
  }
  const completion = await answers.ask(
    // A text that was passed on in part is not asked for again, so only tasks that want parts stream.
    call.stream === undefined ? 'ask' : 'stream',
    messages,
    offered,
    asking,
  );
  const toolCalls = offered.calls(completion.toolCalls);
  if (toolCalls.length > 0) return { toolCalls: toolCalls as unknown as Json };
  const answer = unfenced(completion.text.trim());
  if (answer === '') throw unusableAnswer(model.contextOf(asking), 'it is empty');
  const value = parsed(answer);
  return value === undefined ? answer : (value as Json);
}

/** Who plays the agents: the model, how it answers with tools, and the tools that are known. */
interface Player {
  readonly model: Model;
  readonly answers: ToolAnswers;
  /** For tasks whose result has a form. */
  readonly closed: ClosedAnswers;
  readonly tools: LangchainOptions['tools'];
}

function roleOf({ agent, quality }: AgentInput): string {
  const brief = quality === 'reduced' ? ' Be brief: less than your best will do.' : '';
  return `# Role\nYou are the agent ${JSON.stringify(agent)} of a workflow. Do what an agent of this name does with its input.${brief}`;
}

/** The tools that the definition allows by name, or all known tools, without the denied ones. */
async function toolsFor(
  { tools, toolResults }: AgentInput,
  knownTools: LangchainOptions['tools'],
): Promise<ToolSpec[]> {
  if (tools === undefined || toolResults === undefined) return [];
  const known = await plainTools(knownTools);
  const allowed = (tools.allowed ?? ['*']).flatMap((name) =>
    isToolPattern(name) ? [...known.keys()] : [name],
  );
  const names = [...new Set(allowed)].filter((name) => mayUseTool(tools, name));
  return names.map((name) => {
    const { description = '', parameters = {} } = known.get(name) ?? {};
    return { name, description, parameters };
  });
}

function formOf({ reasoning }: AgentInput): string {
  const plain = 'Answer with the result as JSON and nothing else: no explanation, no code fence.';
  if (reasoning === undefined) return `# The answer\n${plain}`;
  const { format, minSteps, maxSteps } = reasoning;
  const steps = [
    ...(minSteps === undefined ? [] : [`at least ${minSteps}`]),
    ...(maxSteps === undefined ? [] : [`at most ${maxSteps}`]),
  ].join(' and ');
  return [
    '# The answer',
    'Answer with the result and your reasoning as JSON and nothing else: no explanation, no code fence.',
    `The form is {"result": ..., "reasoning": {"steps": [{"step": 1, "thought": "..."}], "conclusion": "..."}}, the reasoning is of the kind ${JSON.stringify(format)}${steps === '' ? '' : `, with ${steps} steps`}.`,
  ].join('\n');
}

/** Models wrap JSON in ``` fences even when asked not to. */
function unfenced(text: string): string {
  return /^```(?:json)?\s*\n(.*)\n```$/s.exec(text)?.[1]?.trim() ?? text;
}

type EarlierAnswers = Pick<PortInput<'runAgent'>, 'complaints' | 'toolResults'>;

/** Describes the results of earlier answers in the same task, for the model. */
function earlierAnswers(
  { complaints = [], toolResults = [] }: EarlierAnswers,
  fence: Fence,
): string[] {
  const results = fence(JSON.stringify(toolResults, undefined, 1), 'the tools');
  const wrong = fence(complaints.join('\n'), 'the workflow');
  return [
    ...(toolResults.length > 0
      ? [`What came of the tools that you have asked for so far:\n${results}`]
      : []),
    ...(complaints.length > 0
      ? [`What was wrong with your answers so far:\n${wrong}\nAnswer again, and put that right.`]
      : []),
  ];
}
