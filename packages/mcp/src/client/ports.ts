import {
  isRecord,
  type Json,
  type JsonObject,
  type Port,
  PortError,
  type PortName,
  type Ports,
} from '@dramaturg/compiler';
import { requireEnforced, requirePermitted, toolNamesOnly } from '@dramaturg/compiler/machine';
import { McpError } from '../error.ts';
import type { McpUse } from './mcp-use.ts';
import type { Search } from './resources.ts';

/** The names of calls that go to MCP servers begin with this. */
const prefix = 'mcp:';

type Run = (name: string, input: JsonObject, use: McpUse) => Promise<Json>;

/** The given ports, with those that call MCP tools. */
export type PortsWithMcp<Given> = Given & Partial<Ports> & Pick<Ports, 'callTool' | 'runAgent'>;

/** @param search answers `recall` before the port of `others` */
export function mcpPorts<Given extends object>(
  others: Given & Partial<Ports>,
  run: Run,
  search: Search | undefined,
): PortsWithMcp<Given> {
  const callTool: Port<'callTool'> = async (input, call) => {
    if (!input.tool.startsWith(prefix))
      return otherwise(others, 'callTool', input.tool)(input, call);
    const { signal, instance, traceparent } = call;
    const use = { key: input.key, signal, instance, traceparent };
    return { result: await failing('callTool', run(bare(input.tool), input.arguments, use)) };
  };
  const runAgent: Port<'runAgent'> = async (input, call) => {
    if (!input.agent.startsWith(prefix))
      return otherwise(others, 'runAgent', input.agent)(input, call);
    const { signal, instance, heartbeat, traceparent } = call;
    const use = { key: input.key, signal, instance, heartbeat, traceparent };
    const { agent, tools } = input;
    requireEnforced(agent, tools, toolNamesOnly);
    // The tools that the state allows are those of its agent. The agent itself is a tool for the definitions around.
    requirePermitted(agent, tools && [{ denied: tools.denied }, ...(tools.within ?? [])]);
    const work = run(bare(input.agent), argumentsOf(input.input), use);
    return { result: await failing('runAgent', work) };
  };
  return { ...others, callTool, runAgent, ...(search && { recall: recallPort(others, search) }) };
}

function recallPort(others: Partial<Ports>, search: Search): Port<'recall'> {
  return async (input, call) => {
    const isSearch =
      input.candidates === undefined && input.keys === undefined && input.namespace === undefined;
    const before = others.recall && (await others.recall(input, call));
    if (!isSearch) return before ?? { memories: [] };
    const found = await failing('recall', search(input.queries, input.limit, call.signal));
    const { minScore = 0 } = input;
    const good = found.filter(({ score }) => score >= minScore);
    return { ...before, memories: [...(before?.memories ?? []), ...good].slice(0, input.limit) };
  };
}

function bare(name: string): string {
  return name.slice(prefix.length);
}

/** The arguments of a tool are an object. Other input becomes its field `input`. */
function argumentsOf(input: Json): JsonObject {
  if (isRecord(input)) return input;
  return input === null ? {} : { input };
}

function otherwise<Name extends 'callTool' | 'runAgent'>(
  others: Partial<Ports>,
  port: Name,
  name: string,
): Port<Name> {
  const other = others[port];
  if (other) return other;
  throw new PortError(
    'port/not-provided',
    port,
    `Nothing answers "${name}". Names of MCP tools are written mcp:SERVER/TOOL; for others pass a port ${port} to mcp.ports.`,
  );
}

async function failing<T>(port: PortName, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof McpError)) throw cause;
    const code = cause.code === 'mcp/timed-out' ? 'port/timed-out' : 'port/failed';
    throw new PortError(code, port, cause.message, { cause });
  }
}
