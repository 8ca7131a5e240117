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
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { didYouMean } from '@dramaturg/compiler/text';
import { McpError } from '../error.ts';
import { Connection } from './connection.ts';
import { failureText, type McpOptions, requireOptions, resultOf, shortText } from './options.ts';

const defaultTimeMs = 30_000;
const defaultResultSize = 100_000;
/** Bytes of a message for each UTF-16 unit of a result: JSON escapes take up to six. */
const bytesPerUnit = 6;
const envelopeBytes = 1_000_000;

/** A tool of a server, for `tools` of `langchainPorts` and for your own hosts. */
export interface McpTool {
  /** A JSON Schema of the arguments; present once the tool was listed. Text of the server: untrusted. */
  readonly parameters?: JsonObject;
  readonly run: (input: JsonObject, use: McpUse) => Promise<Json>;
}

export interface McpTools extends AsyncDisposable {
  /** A tool by its name, such as `crm/find_customer`. It is looked up when it is called. */
  readonly tool: (name: string) => McpTool;
  /** Lists the allowed tools of all servers as tools by their full names, such as `mcp:crm/find_customer`. */
  readonly list: () => Promise<
    Readonly<Record<string, McpTool & { readonly description: string }>>
  >;
  /** Ports that answer calls of MCP tools, and `recall` from resources. All other calls go to `others`. */
  readonly ports: <Given extends object>(others: Given & Partial<Ports>) => PortsWithMcp<Given>;
  /** Ends all connections and processes. */
  readonly close: () => Promise<void>;
}

/**
 * Connects the ports of machines with MCP servers. Servers are started and connected at the first call, and started again after
 * they have ended. See docs/mcp.md.
 *
 *     const mcp = mcpTools({ servers: { crm: { command: 'crm-mcp' } }, allow: { crm: ['find_customer'] } });
 *     const host = await createHost({ store, definitions, ports: mcp.ports(langchainPorts({ model })) });
 *
 * @throws McpError `mcp/options`
 */
export function mcpTools(options: McpOptions): McpTools {
  requireOptions(options);
  const { limits = {}, allow, permit, onProgress, onToolsChanged, onLog } = options;
  const { timeMs = defaultTimeMs, resultSize = defaultResultSize } = limits;
  const connections = new Map(
    Object.entries(options.servers).map(([name, server]) => [
      name,
      new Connection(name, server, {
        timeMs,
        bytesMax: resultSize * bytesPerUnit + envelopeBytes,
        onToolsChanged: () => onToolsChanged?.(name),
        onLog: onLog && ((text) => onLog(name, text)),
      }),
    ]),
  );

  const isAllowed = (server: string, tool: string) => {
    const list = Object.hasOwn(allow, server) ? allow[server]! : [];
    return list === '*' || list.includes(tool);
  };

  const run = async (name: string, input: JsonObject, use: McpUse): Promise<Json> => {
    const [server, tool] = partsOf(name);
    const connection = connections.get(server);
    if (!connection) throw unknownServer(server, [...connections.keys()]);
    if (!isAllowed(server, tool)) throw notAllowed(server, tool);
    const { key, signal, instance, heartbeat } = use;
    const traceparent = await use.traceparent?.();
    const listed = await connection.tool(tool, signal);
    if (!listed) throw unknownTool(server, tool, connection.tools.names);
    if (options.changedTools !== 'accept' && connection.tools.hasChanged(listed))
      throw changed(server, tool);
    if (permit && !(await permit({ server, tool, arguments: input, key, instance })))
      throw new McpError('mcp/not-allowed', `The call of "${name}" was not permitted.`);
    const answer = await connection.call(
      tool,
      input,
      { 'dramaturg/idempotency-key': key, ...(traceparent !== undefined && { traceparent }) },
      {
        signal,
        onProgress: ({ progress, total, message }) => {
          heartbeat?.();
          onProgress?.({ server, tool, key, progress, total, message });
        },
      },
    );
    if (answer.isError === true)
      throw new McpError('mcp/tool-failed', `The tool "${name}" failed: ${failureText(answer)}`);
    const result = resultOf(answer);
    const size = JSON.stringify(result).length;
    if (size <= resultSize) return result;
    throw new McpError(
      'mcp/too-large',
      `The result of the tool "${name}" has ${size} characters; the limit is ${resultSize}. Return less, or raise limits.resultSize.`,
    );
  };

  const tool = (name: string): McpTool => {
    const [server, plainName] = partsOf(name);
    const parameters = connections.get(server)?.tools.get(plainName)?.parameters;
    return { run: (input, use) => run(name, input, use), ...(parameters && { parameters }) };
  };

  const list: McpTools['list'] = async () => {
    const found = await Promise.all(
      [...connections].map(async ([server, connection]) => {
        await connection.listTools(AbortSignal.timeout(2 * timeMs));
        return connection.tools.names
          .filter((name) => isAllowed(server, name))
          .map((name) => {
            const { description = '' } = connection.tools.get(name) ?? {};
            const full = `${server}/${name}`;
            return [
              `mcp:${full}`,
              { ...tool(full), description: withoutSecrets(description) },
            ] as const;
          });
      }),
    );
    return Object.fromEntries(found.flat());
  };

  const search = searchIn(connections, options.resources ?? {}, { timeMs, resultSize });
  const close = async () => {
    await Promise.all([...connections.values()].map((connection) => connection.close()));
  };
  return {
    tool,
    list,
    ports: (others) => mcpPorts(others, run, options.resources && search),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** `crm/find` → `crm` and `find`. The name of a tool may contain slashes. */
function partsOf(name: string): readonly [server: string, tool: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? [name, ''] : [name.slice(0, slash), name.slice(slash + 1)];
}

function unknownServer(server: string, names: readonly string[]): McpError {
  const hint = didYouMean(server, names) ?? `Known servers: ${names.join(', ') || 'none'}.`;
  return new McpError('mcp/unknown-server', `There is no MCP server "${server}". ${hint}`);
}

function unknownTool(server: string, tool: string, names: readonly string[]): McpError {
  const known = shortText(names.join(', ')) || 'none';
  const hint = didYouMean(tool, names) ?? `Known tools: ${known}.`;
  return new McpError(
    'mcp/unknown-tool',
    `The MCP server "${server}" does not have a tool "${tool}". ${hint}`,
  );
}

function notAllowed(server: string, tool: string): McpError {
  return new McpError(
    'mcp/not-allowed',
    `The tool "${tool}" of the MCP server "${server}" is not allowed. To allow it, add it to allow.${server}.`,
  );
}

function changed(server: string, tool: string): McpError {
  return new McpError(
    'mcp/tool-changed',
    `The MCP server "${server}" has changed the description or the parameters of its tool "${tool}". Review the tool and start again, or set changedTools to "accept".`,
  );
}

/** The names of calls that go to MCP servers begin with this. */
const prefix = 'mcp:';

type Run = (name: string, input: JsonObject, use: McpUse) => Promise<Json>;

/** The given ports, with those that call MCP tools. */
export type PortsWithMcp<Given> = Given & Partial<Ports> & Pick<Ports, 'callTool' | 'runAgent'>;

/** @param search answers `recall` before the port of `others` */
function mcpPorts<Given extends object>(
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
    // The tools that a state allows restrict its agent. For the definitions around it, the agent itself is a tool.
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

/** The parameters of a tool call besides its arguments. */
export interface McpUse {
  /** The idempotency key. Servers get it as `_meta["dramaturg/idempotency-key"]`. */
  readonly key: string;
  /** Cancels the call. The server is notified. */
  readonly signal: AbortSignal;
  readonly instance?: string | undefined;
  /** The trace of the call. Servers get it as `_meta.traceparent`. */
  readonly traceparent?: (() => Promise<string | undefined>) | undefined;
  readonly heartbeat?: (() => void) | undefined;
}

interface Found {
  readonly text: string;
  /** The share of the query's words that are in the text, from 0 to 1. */
  readonly score: number;
}

type Search = (
  queries: readonly string[],
  limit: number,
  signal: AbortSignal,
) => Promise<readonly Found[]>;

/** Maximum number of resources that one search reads on each server. */
const resourcesMax = 100;
/** Maximum length of all texts of one search, as a multiple of the largest result. */
const resultsRead = 10;
/** The maximum length of a passage, in UTF-16 units. */
const passageLength = 2_000;

/** Searches the texts of resources by words. Servers that fail are an error: an empty answer would hide them. */
function searchIn(
  connections: ReadonlyMap<string, Connection>,
  allowed: NonNullable<McpOptions['resources']>,
  { timeMs, resultSize }: { readonly timeMs: number; readonly resultSize: number },
): Search {
  return async (queries, limit, signal) => {
    const wanted = queries.map(wordsOf).filter(({ size }) => size > 0);
    if (wanted.length === 0) return [];
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeMs)]);
    const reading = Object.entries(allowed).map(([server, uris]) =>
      passagesOf(connections.get(server)!, uris, { resultSize, signal: deadline }),
    );
    const passages = await Promise.all(reading).catch((cause: unknown) => {
      signal.throwIfAborted();
      if (!deadline.aborted) throw cause;
      throw new McpError(
        'mcp/timed-out',
        `The resources were not read within ${timeMs} milliseconds. Allow fewer of them, or raise limits.timeMs.`,
        { cause },
      );
    });
    return [...new Set(passages.flat())]
      .map((text) => ({ text, score: scoreOf(wordsOf(text), wanted) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit);
  };
}

/** The passages of the allowed resources of a server. */
async function passagesOf(
  connection: Connection,
  uris: readonly string[] | '*',
  { resultSize, signal }: { readonly resultSize: number; readonly signal: AbortSignal },
): Promise<string[]> {
  const listed = (await connection.listResources(signal))
    .filter(({ uri }) => uris === '*' || uris.some((start) => uri.startsWith(start)))
    .slice(0, resourcesMax);
  const found: string[] = [];
  let size = 0;
  for (const { uri } of listed) {
    for (const text of await connection.readResource(uri, signal)) {
      size += text.length;
      found.push(...paragraphsOf(text));
    }
    if (size > resultSize * resultsRead) break;
  }
  return found;
}

/** The paragraphs of a text. Long ones are cut. */
function paragraphsOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim().slice(0, passageLength))
    .filter((part) => part !== '');
}

function scoreOf(words: ReadonlySet<string>, wanted: readonly ReadonlySet<string>[]): number {
  return Math.max(
    ...wanted.map((query) => [...query].filter((word) => words.has(word)).length / query.size),
  );
}

function wordsOf(text: string): Set<string> {
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(({ length }) => length > 2),
  );
}
