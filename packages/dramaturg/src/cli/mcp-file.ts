import { protectSecret } from '@dramaturg/compiler/secrets';
import { nearestName, visible } from '@dramaturg/compiler/text';
import type { McpServer } from '@dramaturg/mcp';
import * as z from 'zod';
import { readText } from './files.ts';
import { UsageError } from './usage-error.ts';

/** A server of the file, with the tools and resources that may be used. */
export interface NamedServer {
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
export async function readMcpFile(file: string): Promise<ReadonlyMap<string, NamedServer>> {
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
      return [name, serverOf(entry, title)] as const;
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

function serverOf(entry: ServerEntry, title: string): NamedServer {
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
