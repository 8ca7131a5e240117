import { isSecretField, isSecretVariable, withoutSecrets } from '@dramaturg/compiler/secrets';
import { visible } from '@dramaturg/compiler/text';
import type { McpServer, McpTools } from '@dramaturg/mcp';
import { type NamedServer, readMcpFile } from './mcp-file.ts';
import { loadMcpClient } from './optional-packages.ts';
import { UsageError } from './usage-error.ts';
import { AgentError } from './workflow/agent-error.ts';
import type { Command } from './command.ts';

/** The MCP servers whose tools a command lets definitions use. */
export interface McpServerOptions {
  /** Each `name=command` or `name=url`. */
  readonly mcpServer?: readonly string[] | undefined;
  /** A file with `mcpServers`, as editors write it. */
  readonly mcpConfig?: string | undefined;
}

export const mcpServerOptions = ['mcpServer', 'mcpConfig'] as const;

export function withMcpServers(command: Command): Command {
  return command
    .option(
      '--mcp-server <name=command>',
      'an MCP server for the agents and tools mcp:name/tool: a command, or the URL of a server; may be repeated',
      (given: string, before: readonly string[] | undefined) => [...(before ?? []), given],
    )
    .option(
      '--mcp-config <file>',
      'a JSON file with "mcpServers", as editors have it; ${NAME} in it is a variable of the environment',
    );
}

/**
 * The tools of the servers that the options name; undefined without servers. They are started at the first call.
 *
 * @param timeMs how long connecting and each call may take
 * @throws UsageError
 */
export async function openMcp(
  { mcpServer = [], mcpConfig }: McpServerOptions,
  timeMs?: number,
): Promise<McpTools | undefined> {
  if (mcpServer.length === 0 && mcpConfig === undefined) return undefined;
  const inFile = mcpConfig === undefined ? [] : await readMcpFile(mcpConfig);
  const named = new Map<string, NamedServer>(inFile);
  for (const given of mcpServer) {
    const [name, server] = serverOf(given);
    named.set(name, { ...named.get(name), server });
  }
  const each = <Value>(of: (server: NamedServer) => Value | undefined) =>
    Object.fromEntries(
      Array.from(named, ([name, server]) => [name, of(server)] as const).filter(
        (entry): entry is readonly [string, Value] => entry[1] !== undefined,
      ),
    );
  const resources = each((server) => server.resources);
  const { mcpTools, McpError } = await loadMcpClient();
  try {
    return mcpTools({
      servers: each(({ server }) => server),
      allow: each(({ tools }) => tools ?? '*'),
      ...(Object.keys(resources).length > 0 && { resources }),
      ...(timeMs !== undefined && { limits: { timeMs } }),
      onToolsChanged: (name) =>
        process.stderr.write(`dramaturg: The MCP server "${name}" has changed its tools.\n`),
    });
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    throw new UsageError(
      visible(error.message),
      'Correct --mcp-server or the file of --mcp-config.',
    );
  }
}

function serverOf(given: string): readonly [name: string, server: McpServer] {
  const equals = given.indexOf('=');
  const name = given.slice(0, Math.max(equals, 0));
  const value = given.slice(equals + 1).trim();
  if (name === '' || value === '')
    throw new UsageError(
      `"${visible(withoutSecrets(given))}" names no MCP server.`,
      'Write it like this: --mcp-server "crm=node crm-server.js", or --mcp-server docs=https://docs.example.com/mcp',
    );
  const isUrl = /^https?:\/\//i.test(value);
  requireNoSecret(`The ${isUrl ? 'URL' : 'command'} of the MCP server "${visible(name)}"`, value);
  if (isUrl) return [name, { url: value }];
  const [command = '', ...args] = value.split(/\s+/);
  return [name, { command, args }];
}

function requireNoSecret(what: string, value: string): void {
  if (withoutSecrets(value) === value && !namesSecret(value)) return;
  throw new UsageError(
    `${what} has a password or a key, and every user of this machine can see the arguments of a process.`,
    'Name the server in a file for --mcp-config, with ${NAME} for the secret, and set that variable.',
  );
}

/** Whether a value has an option or a variable for a secret: `--api-key abc`, `API_KEY=abc`, `?token=abc`. */
function namesSecret(value: string): boolean {
  const namesIn = (pattern: RegExp) => [...value.matchAll(pattern)].map(([, name]) => name!);
  return (
    namesIn(/(?:^|\s)-+([\w-]+)(?:=|\s+)(?=[^\s-])/g).some(isSecretField) ||
    namesIn(/(?:^|[\s?&"'])([\w-]+)[=:](?=\S)/g).some(
      (name) => isSecretField(name) || isSecretVariable(name),
    )
  );
}

/**
 * Throws for an agent that is a tool of a server that the command does not have. Neither the understudy nor a model may play
 * it: the workflow would report work that was not done.
 */
export function requireServerFor(agent: string): void {
  if (!agent.startsWith('mcp:')) return;
  const name = /^mcp:([^/]*)/.exec(agent)?.[1] || 'name';
  throw new AgentError(
    'States.AgentNotFound',
    `There is no MCP server for the agent "${agent}". Name one with --mcp-server "${name}=command" or --mcp-config.`,
  );
}
