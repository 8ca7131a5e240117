import {
  isSecretField,
  isSecretVariable,
  protectSecret,
  withoutSecrets,
} from '@dramaturg/compiler/secrets';
import { nearestName, visible } from '@dramaturg/compiler/text';
import type { McpServer, McpTools } from '@dramaturg/mcp';
import * as z from 'zod';
import type { Command } from './command.ts';
import { readText } from './files.ts';
import { loadMcpClient } from './optional-packages.ts';
import { UsageError } from './usage-error.ts';
import { AgentError } from './workflow/agents-port.ts';

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

/** A server of the file, with the tools and resources that may be used. */
interface NamedServer {
  readonly server: McpServer;
  /** The tools that may be called; all when absent. */
  readonly tools?: readonly string[] | undefined;
  /** The beginnings of the URIs that the port `recall` may read; none when absent. */
  readonly resources?: readonly string[] | undefined;
}

const names = z.array(z.string());
const texts = z.record(z.string(), z.string());

/** Fields of an editor that are not ours, such as `description`, are ignored. */
const serverSchema = z.looseObject({
  command: z.string().min(1).optional(),
  args: names.optional(),
  cwd: z.string().optional(),
  env: texts.optional(),
  inheritEnv: names.optional(),
  url: z.string().min(1).optional(),
  headers: texts.optional(),
  clientCredentials: z
    .strictObject({
      clientId: z.string(),
      clientSecret: z.string(),
      issuer: z.string(),
      scope: z.string().exactOptional(),
    })
    .optional(),
  type: z.string().optional(),
  disabled: z.boolean().optional(),
  tools: names.optional(),
  resources: names.optional(),
});

type ServerEntry = z.infer<typeof serverSchema>;

const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), serverSchema) });

/**
 * Reads the file in which editors name MCP servers. `${NAME}`, `${env:NAME}` and `${NAME:-default}` in its strings are variables
 * of the environment, which are secrets.
 *
 * @throws UsageError
 */
async function readMcpFile(file: string): Promise<ReadonlyMap<string, NamedServer>> {
  const shown = `"${visible(file)}"`;
  const found = fileSchema.safeParse(parsed(await readText(file), shown));
  if (!found.success)
    throw new UsageError(
      `${shown} does not name MCP servers: ${visible(z.prettifyError(found.error).replaceAll('\n', ' '))}`,
      'Write it like this: {"mcpServers": {"crm": {"command": "node", "args": ["crm-server.js"]}}}',
    );
  const servers = Object.entries(found.data.mcpServers).filter(([, { disabled }]) => !disabled);
  return new Map(
    servers.map(([name, entry]) => {
      const title = `the server "${visible(name)}" in ${shown}`;
      return [name, namedServer(entry, title)] as const;
    }),
  );
}

function parsed(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `${shown} is not JSON: ${visible((error as Error).message)}.`,
      'Comments and commas at the end of a list are not allowed in it.',
    );
  }
}

function namedServer(entry: ServerEntry, title: string): NamedServer {
  requireFamiliar(entry, title);
  const { command, args, cwd, env, inheritEnv, url, headers, type, tools, resources } = entry;
  const { clientCredentials } = entry;
  if ((command === undefined) === (url === undefined))
    throw new UsageError(
      `Expected either the field "command" or the field "url" for ${title}.`,
      'A command is started as a process. The url is that of a server of streamable HTTP.',
    );
  if (type === 'sse')
    throw new UsageError(
      `The type "sse" of ${title} is not supported: newer versions of the protocol have replaced it.`,
      'Use the address for streamable HTTP of the same server, with "type": "http".',
    );
  const fill = (text: string) => withVariables(text, title);
  const fillAll = (given: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(given).map(([name, text]) => [name, fill(text)]));
  const server: McpServer =
    url === undefined
      ? {
          command: fill(command!),
          ...(args && { args: args.map(fill) }),
          ...(cwd !== undefined && { cwd: fill(cwd) }),
          ...(env && { env: fillAll(env) }),
          ...(inheritEnv && { inheritEnv }),
        }
      : {
          url: fill(url),
          ...(headers && { headers: fillAll(headers) }),
          ...(clientCredentials && {
            clientCredentials: {
              ...clientCredentials,
              clientId: fill(clientCredentials.clientId),
              clientSecret: fill(clientCredentials.clientSecret),
            },
          }),
        };
  return { server, tools: tools?.includes('*') ? undefined : tools, resources };
}

/** A misspelt `tools` would allow all tools. */
function requireFamiliar(entry: ServerEntry, title: string): void {
  const known = Object.keys(serverSchema.shape);
  for (const field of Object.keys(entry)) {
    const near = known.includes(field) ? undefined : nearestName(field, known);
    if (near !== undefined)
      throw new UsageError(
        `There is no field "${visible(field)}" for ${title}.`,
        `Did you mean "${near}"?`,
      );
  }
}

function withVariables(text: string, title: string): string {
  return text.replaceAll(
    /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise?: string) => {
      const value = process.env[name];
      if (value !== undefined) {
        protectSecret(value);
        return value;
      }
      if (otherwise !== undefined) return otherwise;
      throw new UsageError(
        `The variable ${name} of the environment is missing for ${title}.`,
        `Set it: export ${name}=...`,
      );
    },
  );
}
