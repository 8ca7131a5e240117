import type { AgentEnding } from './usage.ts';
import type { Ports } from './contract.ts';
import { PortError } from './errors.ts';

/** The tools that an agent may use, by name or by a pattern such as `delete_*`. */
interface ToolNames {
  /** All tools when absent. */
  readonly allowed?: readonly string[] | undefined;
  readonly denied: readonly string[];
}

/** The limits that a call of an agent sets for the tools that the agent runs. */
export interface ToolPermissions extends ToolNames {
  /** The other fields that limit the tools, as the definition names them: `RateLimits`. */
  readonly limits?: readonly string[] | undefined;
  /** The permissions of the enclosing definitions: a tool must be permitted by all of them. */
  readonly within?: readonly ToolNames[] | undefined;
}

/**
 * Whether an agent may use a tool: it is among the allowed ones and not among the denied ones. A denied `tool` is denied on every
 * server: `mcp:server/tool`.
 *
 * @param names of one tool, which may have an id besides its name
 */
export function mayUseTool(tools: ToolPermissions, ...names: readonly string[]): boolean {
  const { allowed, denied, within = [] } = tools;
  const isAmong = (patterns: readonly string[], all = names) =>
    patterns.some((pattern) => all.some((name) => matchesToolName(pattern, name)));
  const bare = names.map((name) => name.slice(name.lastIndexOf('/') + 1));
  return (
    (allowed === undefined || isAmong(allowed)) &&
    !isAmong(denied, [...names, ...bare]) &&
    within.every((outer) => mayUseTool(outer, ...names))
  );
}

/**
 * The input of a call that a definition makes while it runs as an agent, with the permissions of the enclosing definition.
 *
 * @param around the permissions of the call that runs the definition
 */
export function withinPermissions<Input>(
  port: string,
  input: Input,
  around: ToolPermissions | undefined,
): Input {
  if (around === undefined) return input;
  const { allowed, denied, within = [] } = around;
  const all = [{ ...(allowed && { allowed }), denied }, ...within];
  if (port === 'callTool') return { ...input, within: all };
  if (port !== 'runAgent') return input;
  const { tools } = input as { readonly tools?: ToolPermissions };
  return { ...input, tools: { denied: [], ...tools, within: [...(tools?.within ?? []), ...all] } };
}

/** The ports of a definition that runs as an agent: its calls get the permissions of the call that runs it. */
export function portsWithin(
  ports: Partial<Ports>,
  around: ToolPermissions | undefined,
): Partial<Ports> {
  const { callTool, runAgent } = ports;
  return {
    ...ports,
    ...(callTool && {
      callTool: async (given, call) => {
        const input = withinPermissions('callTool', given, around);
        requirePermitted(input.tool, input.within, input.name);
        return callTool(input, call);
      },
    }),
    ...(runAgent && {
      runAgent: (input, call) => runAgent(withinPermissions('runAgent', input, around), call),
    }),
  };
}

/** The limits enforced by agents that check only tool names: definitions, MCP tools, and LangChain's agents. */
export const toolNamesOnly: readonly string[] = ['Tools.Allowed', 'Tools.Denied'];

/**
 * Refuses to call an agent that does not enforce the limits that the call sets for its tools.
 *
 * @param enforces the fields that the agent enforces: `Tools.Denied`, or `Tools` for the whole block
 * @throws PortError `port/refused`, for workflows `States.Permissions`
 */
export function requireEnforced(
  agent: string,
  tools: ToolPermissions | undefined,
  enforces: readonly string[],
): void {
  const ending = permissionsExceeded(agent, tools, enforces);
  if (ending) throw permissionRefused('runAgent', ending.cause);
}

/** The ending of an agent that must not run, because it does not enforce all limits of its tools. */
export function permissionsExceeded(
  agent: string,
  tools: ToolPermissions | undefined,
  enforces = toolNamesOnly,
): Extract<AgentEnding, { readonly error: string }> | undefined {
  if (tools === undefined || enforces.includes('Tools')) return undefined;
  const { limits = [], within = [] } = tools;
  const names = [tools, ...within];
  const demanded = [
    ...(names.some(({ allowed }) => allowed && !allowed.includes('*')) ? ['Allowed'] : []),
    ...(names.some(({ denied }) => denied.length > 0) ? ['Denied'] : []),
    ...limits,
  ].map((field) => `Tools.${field}`);
  const missing = demanded.filter((field) => !enforces.includes(field));
  if (missing.length === 0) return undefined;
  const cause = `"${agent}" was not called: it does not enforce ${missing.map((field) => `"${field}"`).join(', ')}. An agent that does says so in its property "enforces".`;
  return { error: 'States.Permissions', cause };
}

/**
 * @param name what people call the tool, when it is not `tool`
 * @throws PortError when a definition around does not permit the tool
 */
export function requirePermitted(
  tool: string,
  within: readonly ToolNames[] = [],
  name = tool,
): void {
  if (within.every((outer) => mayUseTool(outer, tool, name))) return;
  const message = `The tool "${name}" may not be used: the definition that runs this one does not permit it.`;
  throw permissionRefused('callTool', message);
}

function permissionRefused(port: 'runAgent' | 'callTool', message: string): PortError {
  const cause = Object.assign(new Error(message), { error: 'States.Permissions' });
  return new PortError('port/refused', port, message, { cause });
}

/** Whether a tool name of a definition is a pattern: `*` matches any characters. */
export function isToolPattern(name: string): boolean {
  return name.includes('*');
}

function matchesToolName(pattern: string, tool: string): boolean {
  if (!isToolPattern(pattern)) return pattern === tool;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (tool.length < first.length + last.length) return false;
  if (!tool.startsWith(first) || !tool.endsWith(last)) return false;
  const end = tool.length - last.length;
  let at = first.length;
  // The first occurrence is the best: a later one only leaves less of the string for the other parts.
  for (const part of rest) {
    const found = tool.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
