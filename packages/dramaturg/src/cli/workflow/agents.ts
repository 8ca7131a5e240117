import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean, isRecord, type Json, type PortInput, visible } from '@dramaturg/compiler';
import type { PlainTool } from '@dramaturg/langchain';
import { definitionOf, meantDefinition } from '../../host.ts';
import { UsageError } from '../usage-error.ts';
import { statusOf } from '../files.ts';
import type { AgentsPort, Complete } from './run-workflow.ts';

/**
 * The agents of a module, by the names under which workflows call them: what it exports by name, and the functions in
 * its default export, whose keys may be any text, such as an ARN.
 */
type Agents = ReadonlyMap<string, Agent>;

/** Does the work of a Task. What it throws fails the task: under the name in its `error`, else as `States.TaskFailed`. */
type Agent = (input: Json, call: AgentCall) => unknown;

/** `key` is the same when the call is repeated; what else there is depends on the blocks of the task. */
interface AgentCall extends Omit<PortInput<'runAgent'>, 'input'> {
  /** Aborted when the workflow no longer waits. */
  readonly signal: AbortSignal;
  /** Completes a task that waits for its token, which the agent finds in its input. */
  readonly complete: Complete;
}

/** What a module has for workflows. */
export interface Crew {
  readonly file: string;
  readonly agents: Agents;
  /**
   * What it exports as `tools`, by the names under which agents ask for them: a function, or `{ parameters, run }` with a
   * JSON Schema of the arguments.
   */
  readonly tools: Readonly<Record<string, PlainTool>>;
}

export async function loadCrew(file: string): Promise<Crew> {
  const name = `"${visible(file)}"`;
  if ((await statusOf(file)) === undefined) {
    throw new UsageError(`There is no file ${name}.`, 'Check the name and the current folder.');
  }
  let module: Record<string, unknown>;
  try {
    module = (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>;
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(
      `The agents in ${name} cannot be loaded: ${because}`,
      'It must be a module of JavaScript that Node can import.',
    );
  }
  const { default: more, ...named } = module;
  const exported: Record<string, unknown> = {
    ...named,
    ...(typeof more === 'object' ? more : {}),
  };
  const agents = Object.entries(exported).filter(([, agent]) => typeof agent === 'function');
  const tools = readTools(exported['tools'], name);
  if (agents.length === 0 && Object.keys(tools).length === 0) {
    throw new UsageError(
      `There are no agents in ${name}.`,
      'Export a function for each: export function Summarise(input) { return ...; }',
    );
  }
  return { file, agents: new Map(agents as [string, Agent][]), tools };
}

function readTools(exported: unknown, file: string): Crew['tools'] {
  if (!isRecord(exported)) return {};
  return Object.fromEntries(
    Object.entries(exported).map(([name, tool]): [string, PlainTool] => {
      const run: unknown = isRecord(tool) ? tool['run'] : tool;
      if (typeof run !== 'function') {
        throw new UsageError(
          `The tool "${visible(name)}" in ${file} is nothing that can be run.`,
          'Write it as a function, or as { parameters, run }: a JSON Schema of its arguments, and a function.',
        );
      }
      return [
        name,
        isRecord(tool) ? (tool as unknown as PlainTool) : { run: run as PlainTool['run'] },
      ];
    }),
  );
}

/** Nobody has written the agents yet: each hands its input back, so that the way through the workflow can be seen. */
export const understudyAgents: AgentsPort = async ({ agent, input }) => {
  requireNoDefinition(agent);
  return { result: input };
};

/**
 * Nobody plays a definition that is missing: the workflow would seem to have done what it has not.
 *
 * @throws Error `States.AgentNotFound` that says where to put the definition
 */
export function requireNoDefinition(agent: string): void {
  const meant = meantDefinition(agent);
  if (meant !== undefined)
    throw agentNotFound(`"${agent}" is no kind of definition and a name. Did you mean "${meant}"?`);
  const name = definitionOf(agent);
  if (name === undefined) return;
  if (name === '') throw agentNotFound(`The agent "${agent}" names no definition after the colon.`);
  throw agentNotFound(
    `There is no definition "${name}" for the agent "${agent}". Lay its file beside that of the workflow, as ${name}.asl.json, ${name}.plan.json or the like.`,
  );
}

function agentNotFound(cause: string): Error {
  return Object.assign(new Error('no such agent'), { error: 'States.AgentNotFound', cause });
}

/** Calls the agents of a module. */
export function agentsPort({ agents, file }: Crew): AgentsPort {
  return async ({ input, ...call }, { signal, complete }) => {
    const { agent } = call;
    const run = agents.get(agent);
    if (!run) {
      requireNoDefinition(agent);
      const names = [...agents.keys()];
      const hint = didYouMean(agent, names) ?? `There are: ${names.join(', ')}.`;
      throw agentNotFound(`No agent "${agent}" is in ${file}. ${hint}`);
    }
    const result = await run(input, { ...call, signal, complete });
    return { result: result === undefined ? null : asJson(result, agent) };
  };
}

/** What an agent returns as the JSON it stands for: a date becomes a text, a field that is undefined is none. */
function asJson(result: unknown, agent: string): Json {
  try {
    return JSON.parse(JSON.stringify(result)) as Json;
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`What the agent "${agent}" returned is no JSON: ${because}`, { cause });
  }
}
