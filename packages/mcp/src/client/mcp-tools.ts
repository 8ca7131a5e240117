import type { Json, JsonObject, Ports } from '@dramaturg/compiler';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { didYouMean } from '@dramaturg/compiler/text';
import { McpError } from '../error.ts';
import { Connection } from './connection.ts';
import type { McpUse } from './mcp-use.ts';
import { type McpOptions, requireOptions } from './options.ts';
import { mcpPorts, type PortsWithMcp } from './ports.ts';
import { searchIn } from './resources.ts';
import { failureText, resultOf, shortText } from './result.ts';

const defaultTimeMs = 30_000;
const defaultResultSize = 100_000;
/** Bytes that a message may have besides a result: JSON escapes take up to six bytes for a UTF-16 unit. */
const bytesPerUnit = 6;
const envelopeBytes = 1_000_000;

/** A tool of a server, for `tools` of `langchainPorts` and for hosts of your own. */
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
 * Connects the ports of machines with MCP servers. Servers are started and connected at the first call, and again after they
 * have ended. See docs/mcp.md.
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
