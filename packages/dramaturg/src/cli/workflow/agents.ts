import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isRecord, type Json, type Port, PortError, type PortInput } from '@dramaturg/compiler';
import { requireEnforced } from '@dramaturg/compiler/machine';
import { didYouMean, visible } from '@dramaturg/compiler/text';
import type { PlainTool } from '@dramaturg/host/tools';
import { definitionOf, meantDefinition } from '../../host.ts';
import { statusOf } from '../files.ts';
import { requireServerFor } from '../mcp-servers.ts';
import { UsageError } from '../usage-error.ts';
import { AgentError, type AgentsPort, type Complete } from './agents-port.ts';
import { requireStorageFor } from './object-storage.ts';

/** Does the work of a Task. A thrown error fails the task: with the name in its `error`, else with `States.TaskFailed`. */
type Agent = ((input: Json, call: AgentCall) => unknown) & {
  /** The fields of a definition that the agent enforces, such as `Tools`. When a definition demands more, the agent is not called. */
  readonly enforces?: readonly string[];
};

/** `key` is the idempotency key of the call. The other fields depend on the blocks of the task. */
interface AgentCall extends Omit<PortInput<'runAgent'>, 'input'> {
  /** Aborted when the workflow no longer waits. */
  readonly signal: AbortSignal;
  /** Completes a task that waits for a token. The token is in the input of the agent. */
  readonly complete: Complete;
  /** Reports that the work continues, for a task with `HeartbeatSeconds`. Without them it does nothing. */
  readonly heartbeat: () => void;
  /** Passes on a part of the answer while it is generated. */
  readonly onText: (part: string) => void;
  /** The trace of the call, for the requests of the agent: a header of W3C Trace Context. Absent without tracing. */
  readonly traceparent?: () => Promise<string | undefined>;
}

/** The agents and tools of a module. */
export interface Crew {
  readonly file: string;
  /**
   * The agents by the names that workflows call: the named exports, and the functions in the default export. Keys there may be
   * any string or pattern, such as an ARN.
   */
  readonly agents: AgentTable<Agent>;
  /**
   * The export `tools`, by the names that agents use: each a function, or `{ parameters, run }` with a JSON Schema of the
   * arguments.
   */
  readonly tools: Readonly<Record<string, PlainTool>>;
  /** The export `rules`: functions that check values, by the names that plans have in `validate`. */
  readonly rules: Readonly<Record<string, Port<'validate'>>>;
}

/** The first text of each module that was loaded, by path. */
const loaded = new Map<string, string>();

/** The address of a module. Node loads an address once, so a module that has changed since gets another one. */
async function addressOf(file: string): Promise<string> {
  const path = resolve(file);
  const text = await readFile(path, 'utf8');
  const first = loaded.get(path) ?? text;
  loaded.set(path, first);
  const { href } = pathToFileURL(path);
  return text === first
    ? href
    : `${href}?${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

export async function loadCrew(file: string): Promise<Crew> {
  const name = `"${visible(file)}"`;
  if ((await statusOf(file)) === undefined) {
    throw new UsageError(`There is no file ${name}.`, 'Check the name and the current folder.');
  }
  let module: Record<string, unknown>;
  try {
    module = (await import(await addressOf(file))) as Record<string, unknown>;
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(
      `The agents in ${name} cannot be loaded: ${because}`,
      'The file must be a JavaScript module that Node can import.',
    );
  }
  const { default: more, ...named } = module;
  const exported: Record<string, unknown> = {
    ...named,
    ...(typeof more === 'object' ? more : {}),
  };
  const agents = Object.entries(exported).filter(([, agent]) => typeof agent === 'function');
  const tools = readTools(exported['tools'], name);
  const rules = (isRecord(exported['rules']) ? exported['rules'] : {}) as Crew['rules'];
  if (agents.length + Object.keys(tools).length + Object.keys(rules).length === 0) {
    throw new UsageError(
      `There are no agents in ${name}.`,
      'Export a function for each: export function Summarise(input) { return ...; }',
    );
  }
  return { file, agents: new AgentTable(agents as [string, Agent][]), tools, rules };
}

function readTools(exported: unknown, file: string): Crew['tools'] {
  if (!isRecord(exported)) return {};
  return Object.fromEntries(
    Object.entries(exported).map(([name, tool]): [string, PlainTool] => {
      const run: unknown = isRecord(tool) ? tool['run'] : tool;
      if (typeof run !== 'function') {
        throw new UsageError(
          `The tool "${visible(name)}" in ${file} is not a function.`,
          'Export a function, or { parameters, run }: a JSON Schema of the arguments, and a function.',
        );
      }
      return [
        name,
        isRecord(tool) ? (tool as unknown as PlainTool) : { run: run as PlainTool['run'] },
      ];
    }),
  );
}

/** A dry run for workflows whose agents are not written yet: each agent returns its input. */
export const understudyAgents: AgentsPort = async ({ agent, input }) => {
  requirePlayable(agent);
  return { result: input };
};

/**
 * Throws for an agent that is a missing definition, an object storage, or a tool of a missing MCP server. Neither the understudy nor a model may play it:
 * the workflow would report work that was not done.
 *
 * @throws AgentError `States.AgentNotFound` that says where to put the definition, or how to give the storage
 */
export function requirePlayable(agent: string): void {
  requireStorageFor(agent);
  requireServerFor(agent);
  const meant = meantDefinition(agent);
  if (meant !== undefined)
    throw agentNotFound(
      `"${agent}" does not begin with a kind of definition. Did you mean "${meant}"?`,
    );
  const name = definitionOf(agent);
  if (name === undefined) return;
  if (name === '') throw agentNotFound(`The agent "${agent}" names no definition after the colon.`);
  throw agentNotFound(
    `There is no definition "${name}" for the agent "${agent}". Put its file in the folder of the workflow, such as ${name}.asl.json or ${name}.plan.json.`,
  );
}

function agentNotFound(cause: string): AgentError {
  return new AgentError('States.AgentNotFound', cause);
}

/** Checks values by the rules of a module. */
export function rulesPort({ rules, file }: Pick<Crew, 'rules' | 'file'>): Port<'validate'> {
  return (input, call) => {
    const rule = Object.hasOwn(rules, input.name) ? rules[input.name] : undefined;
    if (typeof rule === 'function') return rule(input, call);
    throw new PortError(
      'port/not-provided',
      'validate',
      `There is no rule "${input.name}" in the export "rules" of ${visible(file)}.`,
    );
  };
}

/** Calls the agents of a module. */
export function agentsPort({ agents, file }: Crew): AgentsPort {
  return async ({ input, ...call }, use) => {
    const { agent } = call;
    const run = agents.find(agent);
    if (!run) {
      requirePlayable(agent);
      const { names } = agents;
      const hint = didYouMean(agent, names) ?? `Its agents: ${names.join(', ')}.`;
      throw agentNotFound(`${file} exports no agent "${agent}". ${hint}`);
    }
    requireEnforced(agent, call.tools, run.enforces ?? []);
    const result = await run(input, { ...call, ...use });
    return { result: result === undefined ? null : asJson(result, agent) };
  };
}

/** Converts the result of an agent to JSON: dates become strings, and undefined fields are removed. */
function asJson(result: unknown, agent: string): Json {
  try {
    return JSON.parse(JSON.stringify(result)) as Json;
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new AgentError(
      'States.TaskFailed',
      `The agent "${agent}" returned a value that is not JSON: ${because}`,
    );
  }
}

/**
 * Functions by the names that workflows call, or by patterns of names. `*` matches any string: `arn:aws:states:::dynamodb:*`
 * matches every call of that service. An exact name wins over patterns, and a pattern with more letters over one with fewer.
 */
export class AgentTable<Entry> {
  readonly #byName: ReadonlyMap<string, Entry>;
  readonly #patterns: readonly { readonly parts: readonly string[]; readonly agent: Entry }[];

  constructor(agents: readonly (readonly [name: string, agent: Entry])[]) {
    this.#byName = new Map(agents);
    this.#patterns = agents
      .filter(([name]) => name.includes('*'))
      .map(([name, agent]) => ({ parts: name.split('*'), agent }))
      .toSorted((one, other) => lengthOf(other.parts) - lengthOf(one.parts));
  }

  /** The names and patterns, in the order of the module. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  find(name: string): Entry | undefined {
    return (
      this.#byName.get(name) ?? this.#patterns.find(({ parts }) => matches(name, parts))?.agent
    );
  }
}

function lengthOf(parts: readonly string[]): number {
  return parts.join('').length;
}

/** Whether a name has all parts in their order, the first at its beginning and the last at its end. */
function matches(name: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop() ?? '';
  if (!name.startsWith(first) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.endsWith(last) && name.length - last.length >= at;
}
