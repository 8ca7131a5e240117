import { type Port, PortError, type PortInput, type Ports } from '@dramaturg/compiler';
import { requireEnforced, toolNamesOnly } from '@dramaturg/compiler/machine';
import { didYouMean } from '@dramaturg/compiler/text';
import { asJson } from '@dramaturg/host/tools';
import { ToolAnswers } from '../answer/tool-answers.ts';
import { type Asking, paidPort } from '../model/asking.ts';
import type { Model } from '../model/model.ts';
import type { LangchainOptions } from '../options.ts';
import { isDefinition } from './agent.ts';
import { runDefinition } from './definition.ts';
import { playAgent } from './play-agent.ts';
import { invoke } from './runnable.ts';

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
  const player = { model, answers: new ToolAnswers(model), tools };
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
