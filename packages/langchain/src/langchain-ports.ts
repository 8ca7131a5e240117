import {
  isRecord,
  type JsonObject,
  type Port,
  PortError,
  type PortInput,
  type Ports,
} from '@dramaturg/compiler';
import { type PortWishes, requireEnforced, toolNamesOnly } from '@dramaturg/compiler/machine';
import { didYouMean } from '@dramaturg/compiler/text';
import { asJson, callToolPort as plainPort } from '@dramaturg/host/tools';
import { isDefinition } from './agents/agent.ts';
import { runDefinition } from './agents/definition.ts';
import { playAgent } from './agents/play-agent.ts';
import { invoke } from './agents/runnable.ts';
import { ClosedAnswers } from './answer/closed-answers.ts';
import { OfferedTools } from './answer/tool-calls.ts';
import { recallPort } from './memory/recall.ts';
import { type Asking, paidPort } from './model/asking.ts';
import { unusableAnswer } from './model/model-errors.ts';
import { Model } from './model/model.ts';
import type { LangchainOptions } from './options.ts';
import { extractPort } from './ports/extract.ts';
import { replyPort, ToolAnswers } from './ports/reply.ts';
import { Composer, isInConstantPart } from './prompt/composer.ts';
import { plainTools } from './tools/plain-tools.ts';
import { Judge } from './written/judge.ts';
import { ReplyStore } from './written/reply-store.ts';

const reasonLengthMax = 1_000;

/** Picks one of the options. After two invalid answers the result is the fallback. */
function choosePort(judge: Judge): Port<'choose'> {
  return paidPort('choose', async (input, asking) => {
    const { options, fallback, tools = [] } = input;
    const ids = options.map(({ id }) => id);
    const [only] = ids;
    // A single option needs no question, unless the option itself is to be judged.
    if (ids.length === 1 && tools.length === 0 && !input.requiresJudgement)
      return { option: only! };
    const result = await judge.ask(input, asking, {
      form: '# The answer\nPick exactly one of the options at the end, by its id.',
      now: [instructionsFor(input)],
      schema: schemaFor(judge.answers.countsForm ? undefined : ids),
      strict: true,
      tools,
      read: (value) => readChoice(value, ids),
      caseOf: ({ option }) => option,
    });
    if ('toolCalls' in result) {
      // The option is ignored as long as there are tools to run.
      return { option: fallback ?? ids[0]!, toolCalls: [...result.toolCalls] };
    }
    if ('answer' in result) return result.answer;
    if (fallback === undefined || !ids.includes(fallback))
      throw unusableAnswer(judge.answers.contextOf(asking), result.problem);
    return { option: fallback, reason: 'The model named no option, so the fallback stands.' };
  });
}

/**
 * Without the ids, the schema is the same for all choices. Providers treat it as the beginning of the prompt, so their cache of
 * the call before stays valid. The answer is always checked here.
 */
function schemaFor(ids: readonly string[] | undefined): JsonObject {
  return {
    type: 'object',
    properties: {
      option: {
        type: 'string',
        ...(ids && { enum: [...ids] }),
      },
      reason: { type: 'string', description: 'Why, in one sentence.' },
    },
    required: ['option', 'reason'],
    additionalProperties: false,
  };
}

function readChoice(value: unknown, ids: readonly string[]) {
  const { option, reason } = isRecord(value) ? value : {};
  const named = typeof option === 'string' ? option.trim() : undefined;
  const id = ids.find((each) => each === option || each === named);
  if (id === undefined) return { problem: `"option" has to be one of: ${JSON.stringify(ids)}.` };
  return {
    answer: {
      option: id,
      ...(typeof reason === 'string' ? { reason: reason.slice(0, reasonLengthMax) } : {}),
    },
  };
}

function instructionsFor(input: PortInput<'choose'>): string {
  const { options, fallback } = input;
  return [
    '# The options',
    ...options.map(({ id, description }) =>
      description !== '' && isInConstantPart(input, description)
        ? `- ${JSON.stringify(id)}`
        : `- ${JSON.stringify(id)}: ${description}`,
    ),
    ...(fallback === undefined
      ? []
      : [`When what was said supports none, pick ${JSON.stringify(fallback)}.`]),
  ].join('\n');
}

export type LangchainPorts = Pick<
  Ports,
  'reply' | 'choose' | 'extract' | 'think' | 'recall' | 'callTool' | 'runAgent'
> &
  PortWishes;

/**
 * Answers the calls of machines with a LangChain chat model, tools, agents and a memory. LangChain is loaded at the first
 * call that needs it.
 */
export function langchainPorts(options: LangchainOptions): LangchainPorts {
  const model = new Model(options);
  const composer = new Composer(options);
  const replies = options.combineReplies === true ? new ReplyStore() : undefined;
  const judge = new Judge(new ClosedAnswers(model), composer, replies);
  const ports = {
    reply: replyPort(model, composer, replies),
    choose: choosePort(judge),
    extract: extractPort(judge),
    think: thinkPort(model, composer),
    recall: recallPort(options),
    callTool: callToolPort(options),
  };
  const runAgent = runAgentPort(options, model, ports);
  return { ...ports, runAgent, ...(replies && { wantsNextReplies: true }) };
}

/** Runs tools of LangChain and plain functions. */
function callToolPort({
  tools,
  toolLimits = {},
}: Pick<LangchainOptions, 'tools' | 'toolLimits'>): Port<'callTool'> {
  let port: Promise<Port<'callTool'>> | undefined;
  const load = async () => plainPort({ tools: await plainTools(tools), toolLimits });
  return async (input, call) => (await (port ??= load()))(input, call);
}

/** Writes a text that only the chart sees. */
function thinkPort(model: Model, composer: Composer): Port<'think'> {
  const toolAsking = new ToolAnswers(model);
  return paidPort('think', async (input, asking) => {
    const offered = new OfferedTools(input.tools ?? []);
    const messages = await composer.judging(input, asking.call, {
      form: '# The answer\nWrite the result as plain text. The person does not see it.',
      now: [],
    });
    const completion = await toolAsking.ask('ask', messages, offered, asking);
    const toolCalls = offered.closedCalls(completion.toolCalls);
    if (completion.text.trim() === '' && toolCalls.length === 0)
      throw unusableAnswer(model.contextOf(asking), 'it is empty');
    return { text: completion.text.trim(), toolCalls };
  });
}

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
function runAgentPort(
  options: Pick<LangchainOptions, 'agents' | 'playAgents' | 'tools'>,
  model: Model,
  others: Partial<Ports>,
  depth = 0,
): Port<'runAgent'> {
  const { agents = {}, playAgents = false } = options;
  const resultOf = async (request: PortInput<'runAgent'>, asking: Asking): Promise<unknown> => {
    const { input, ...rest } = request;
    const { agent: name } = rest;
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
    const call = { ...rest, signal: asking.call.signal };
    if (agent === undefined) {
      if (playAgents) requireEnforced(name, request.tools, enforcedForPlayed);
      if (playAgents) return playAgent(model, request, asking, options.tools).catch(asFailure);
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
