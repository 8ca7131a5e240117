import { didYouMean, type Port, PortError, type PortInput, type Ports } from '@dramaturg/compiler';
import { type Asking, paidPort } from '../model/asking.ts';
import type { Model } from '../model/model.ts';
import type { LangchainOptions } from '../options.ts';
import { asJson } from '../tools/as-json.ts';
import { isDefinition } from './agent.ts';
import { runDefinition } from './definition.ts';
import { playAgent } from './play-agent.ts';
import { invoke } from './runnable.ts';

/** Definitions may name one another as agents, and themselves. */
const deepest = 8;

/**
 * Runs agents by their names. What a function throws is the task's failure, as it is.
 *
 * @param others what a definition that runs as an agent may ask, besides agents
 */
export function runAgentPort(
  options: Pick<LangchainOptions, 'agents' | 'playAgents' | 'tools'>,
  model: Model,
  others: Partial<Ports>,
  depth = 0,
): Port<'runAgent'> {
  const { agents = {}, playAgents = false } = options;
  const resultOf = async (asked: PortInput<'runAgent'>, asking: Asking): Promise<unknown> => {
    const { input, ...told } = asked;
    const { agent: name } = told;
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
    const call = { ...told, signal: asking.call.signal };
    if (agent === undefined) {
      if (playAgents) return playAgent(model, asked, asking, options.tools).catch(asFailure);
      throw unknown(name, Object.keys(agents));
    }
    if (typeof agent === 'function') return agent(input, call);
    if (!isDefinition(agent)) return invoke(agent, input, call, asking.spending);
    if (depth === deepest) throw tooDeep(name);
    const ports = { ...others, runAgent: runAgentPort(options, model, others, depth + 1) };
    return runDefinition(agent, input, { call, ports, spending: asking.spending });
  };
  return paidPort('runAgent', async (asked, asking) => {
    const result = await resultOf(asked, asking);
    return { result: asJson(result, `What the agent "${asked.agent}" returned`, 'runAgent').value };
  });
}

function unknown(name: string, names: readonly string[]): PortError {
  const hint =
    didYouMean(name, names) ??
    (names.length > 0 ? `There are: ${names.join(', ')}.` : 'Pass it in agents.');
  return notRun(`There is no agent "${name}". ${hint}`, 'States.AgentNotFound');
}

function tooDeep(name: string): PortError {
  const message = `The agent "${name}" is not run: definitions run one another as agents ${deepest} deep already.`;
  return notRun(message, 'States.AgentInvocationFailed');
}

/** What a workflow is told of a model that failed is our sentence, and not what a library has said first. */
function asFailure(error: unknown): never {
  if (!(error instanceof PortError)) throw error;
  throw notRun(error.message, 'States.TaskFailed', error);
}

/** A failure that workflows can catch by its name. */
function notRun(message: string, error: string, because?: PortError): PortError {
  const cause = Object.assign(new Error(message, { cause: because }), { error });
  return new PortError(because?.code ?? 'port/failed', 'runAgent', message, { cause });
}
