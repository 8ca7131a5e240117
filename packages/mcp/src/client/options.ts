import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { unknownFields } from '@dramaturg/compiler/shapes';
import { didYouMean } from '@dramaturg/compiler/text';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { McpError } from '../error.ts';

/** A server that is started as a process and speaks MCP on its standard streams. */
export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Environment variables of the server. It gets these, those in `inheritEnv`, and PATH, HOME, USER, LOGNAME, SHELL and TERM. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of environment variables of this process that the server gets too. */
  readonly inheritEnv?: readonly string[];
}

/** A server that speaks streamable HTTP. */
export interface HttpServer {
  readonly url: string;
  /** The bearer token, or a function that returns the current one. The function is called again when the server answers with 401. */
  readonly token?: string | (() => string | Promise<string>);
  readonly headers?: Readonly<Record<string, string>>;
  /** Gets tokens for this program from the authorization server. Spec: OAuth 2.1, section 4.2 */
  readonly clientCredentials?: ClientCredentials;
  /** Gets tokens in your own way: a provider of the SDK. Not together with `token` or `clientCredentials`. */
  readonly authProvider?: OAuthClientProvider;
  /** The code that `authProvider` has received, once the person has authorized it. Without it, such a call fails. */
  readonly authorizationCode?: () => Promise<string>;
}

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
  /** The authorization server, by its issuer URL. No other server sees the secret, even if the MCP server names one. */
  readonly issuer: string;
}

export type McpServer = StdioServer | HttpServer;

/** A call of a tool, before it is made. */
export interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The idempotency key of the call. It begins with the id of the conversation or run. */
  readonly key: string;
  /** The instance of a host that makes the call. */
  readonly instance?: string | undefined;
}

export interface McpProgress {
  readonly server: string;
  readonly tool: string;
  readonly key: string;
  readonly progress: number;
  readonly total?: number | undefined;
  /** Text of the server: untrusted. */
  readonly message?: string | undefined;
}

export interface McpLimits {
  /** Milliseconds for connecting, and for each call. Default 30 000. */
  readonly timeMs?: number;
  /** The maximum length of a result as JSON, in UTF-16 units. Default 100 000. */
  readonly resultSize?: number;
}

export interface McpOptions {
  /** The servers by the names that definitions use: `crm` in `mcp:crm/find_customer`. */
  readonly servers: Readonly<Record<string, McpServer>>;
  /** The tools of each server that may be called, or `'*'`. Tools of other servers are refused. */
  readonly allow: Readonly<Record<string, readonly string[] | '*'>>;
  /** Decides on each allowed call, for example by the definition of its instance. A refused call fails. */
  readonly permit?: (call: McpCall) => boolean | Promise<boolean>;
  /** Servers whose resources the port `recall` searches, with the prefixes of the URIs that it may read, or `'*'`. */
  readonly resources?: Readonly<Record<string, readonly string[] | '*'>>;
  readonly limits?: McpLimits;
  /**
   * What happens when a server changes the description or the parameters of a tool that it listed before. Default: calls of
   * the tool are refused until the process starts again.
   */
  readonly changedTools?: 'refuse' | 'accept';
  readonly onProgress?: (progress: McpProgress) => void;
  /** Receives the name of a server that has changed its list of tools. */
  readonly onToolsChanged?: (server: string) => void;
  /** Receives what a stdio server writes to its standard error. Untrusted; ignored when left out. */
  readonly onLog?: (server: string, text: string) => void;
}

const serverName = /^[A-Za-z0-9_.-]{1,64}$/;

const optionNames = [
  'servers',
  'allow',
  'permit',
  'resources',
  'limits',
  'changedTools',
  'onProgress',
  'onToolsChanged',
  'onLog',
];

/** @throws McpError `mcp/options` */
export function requireOptions(options: McpOptions): void {
  const problems = [
    ...unknownFields(options, optionNames, 'mcpTools'),
    ...unknownFields(options.limits ?? {}, ['timeMs', 'resultSize'], 'limits'),
  ];
  const names = Object.keys(options.servers);
  for (const name of names) {
    if (!serverName.test(name))
      problems.push(
        `"${name}" cannot name a server. Use up to 64 letters, digits, ".", "_" and "-".`,
      );
    const server = options.servers[name]!;
    if (waysToAuthorize(server) > 1)
      problems.push(
        `The server "${name}" has several of token, clientCredentials and authProvider. Choose one.`,
      );
    if ('url' in server && !/^https?:$/.test(urlOf(server.url)?.protocol ?? ''))
      problems.push(`The url of the server "${name}" is not an HTTP address.`);
  }
  for (const list of [options.allow, options.resources ?? {}])
    for (const name of Object.keys(list))
      if (!names.includes(name))
        problems.push(
          `There is no server "${name}". ${didYouMean(name, names) ?? 'Add it to servers.'}`,
        );
  for (const [name, value] of Object.entries(options.limits ?? {}))
    if (!(Number.isFinite(value) && value > 0))
      problems.push(`limits.${name} must be a positive number.`);
  if (problems.length > 0) throw new McpError('mcp/options', problems.join(' '));
}

function waysToAuthorize(server: McpServer): number {
  if (!('url' in server)) return 0;
  const { token, clientCredentials, authProvider } = server;
  return [token, clientCredentials, authProvider].filter((way) => way !== undefined).length;
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The answer of a tool, not checked yet. */
export interface ToolAnswer {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/**
 * The result of a tool as data: its structured content, or its text, or its content blocks unchanged. A server's text is never an
 * instruction.
 */
export function resultOf({ content, structuredContent }: ToolAnswer): Json {
  if (isRecord(structuredContent)) return plain(structuredContent);
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  const texts = blocks.filter(isText);
  if (texts.length === blocks.length && texts.length > 0)
    return texts.map(({ text }) => text).join('\n');
  return blocks.length === 0 ? null : plain(blocks);
}

/** The text with which a tool reports that it failed, short enough for a message. */
export function failureText({ content }: ToolAnswer): string {
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  const text = blocks.flatMap((block) => (isText(block) ? [block.text] : [])).join(' ');
  return shortText(text) || 'It gives no reason.';
}

const longestText = 500;

/** A string of a server in one line, without control characters. */
export function shortText(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}

function isText(block: unknown): block is JsonObject & { readonly text: string } {
  return isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string';
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
