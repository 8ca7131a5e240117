import { createHash } from 'node:crypto';
import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError, type McpErrorCode } from '../error.ts';
import { type McpServer, shortText, type ToolAnswer } from './options.ts';
import { transportTo } from './transport.ts';

export interface ConnectionOptions {
  readonly timeMs: number;
  /** The maximum size of one message of the server, in bytes. */
  readonly bytesMax: number;
  readonly onToolsChanged?: (() => void) | undefined;
  readonly onLog?: ((text: string) => void) | undefined;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: RequestOptions['onprogress'];
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
}

/** Maximum number of pages of a list: a server could return a next page forever. */
const pagesMax = 50;
/** Maximum number of entries of a list. */
const entriesMax = 2_000;

interface Open {
  readonly client: Client;
  readonly transport: Transport;
  readonly state: { isTooLarge: boolean };
}

/**
 * The connection to one server. It is made at the first request, and again after it has ended.
 *
 * Every method throws an `McpError`, or the reason of the signal.
 */
export class Connection {
  readonly tools = new ToolList();
  readonly #name: string;
  readonly #server: McpServer;
  readonly #options: ConnectionOptions;
  #opening: Promise<Open> | undefined;
  #listing: Promise<void> | undefined;
  #isClosed = false;

  constructor(name: string, server: McpServer, options: ConnectionOptions) {
    this.#name = name;
    this.#server = server;
    this.#options = options;
  }

  /** Finds a tool, as the server lists it now. */
  async tool(name: string, signal: AbortSignal): Promise<ListedTool | undefined> {
    await this.listTools(signal);
    return this.tools.get(name);
  }

  /** Lists the tools, unless the list of this connection is current. */
  async listTools(signal: AbortSignal): Promise<void> {
    await this.#opened(signal);
    const listing = (this.#listing ??= this.#list('tools/list', 'tools').then((entries) =>
      this.tools.replace(entries.flatMap((entry) => listedTool(entry) ?? [])),
    ));
    try {
      await unlessAborted(listing, signal);
    } catch (error) {
      if (this.#listing === listing && !signal.aborted) this.#listing = undefined;
      throw error;
    }
  }

  /** @param meta fields for `_meta` of the request */
  async call(
    tool: string,
    input: JsonObject,
    meta: JsonObject,
    { signal, onProgress }: CallOptions,
  ): Promise<ToolAnswer> {
    const params = { name: tool, arguments: input, _meta: meta };
    return this.#request('tools/call', params, {
      signal,
      ...(onProgress && { onprogress: onProgress }),
    });
  }

  async listResources(signal: AbortSignal): Promise<readonly ListedResource[]> {
    const entries = await this.#list('resources/list', 'resources', { signal });
    return entries.flatMap((entry) => {
      const { uri, name } = (entry ?? {}) as { uri?: unknown; name?: unknown };
      return typeof uri === 'string' ? [{ uri, name: typeof name === 'string' ? name : uri }] : [];
    });
  }

  /** Reads the texts of a resource. Binary contents are left out. */
  async readResource(uri: string, signal: AbortSignal): Promise<readonly string[]> {
    const { contents } = await this.#request('resources/read', { uri }, { signal });
    const list = Array.isArray(contents) ? (contents as unknown[]) : [];
    return list.flatMap((each) => {
      const { text } = (each ?? {}) as { text?: unknown };
      return typeof text === 'string' ? [text] : [];
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = await this.#opening?.catch(() => undefined);
    await open?.client.close();
  }

  async #list(
    method: string,
    field: string,
    options: Pick<RequestOptions, 'signal'> = {},
  ): Promise<unknown[]> {
    const found: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pagesMax && found.length < entriesMax; page += 1) {
      const answer = await this.#request(method, cursor === undefined ? {} : { cursor }, options);
      const entries = answer[field];
      if (Array.isArray(entries)) found.push(...(entries as unknown[]).slice(0, entriesMax));
      if (typeof answer['nextCursor'] !== 'string') break;
      cursor = answer['nextCursor'];
    }
    return found.slice(0, entriesMax);
  }

  async #request(
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { timeMs: timeout } = this.#options;
    for (let isRepeated = false; ; isRepeated = true) {
      const { client, transport, state } = await this.#opened(options.signal);
      try {
        // The SDK's own `callTool` compiles schemas of the server: untrusted code.
        return await client.request({ method, params }, ResultSchema, { ...options, timeout });
      } catch (error) {
        options.signal?.throwIfAborted();
        const why = explained(error, this.#name, { ...this.#options, ...state });
        if (why.code === 'mcp/server-lost') await client.close().catch(() => {});
        // The server no longer knows the session, so it has not run the request.
        const mayRepeat = isForgottenSession(error) || (await this.#authorize(transport, error));
        if (isRepeated || !mayRepeat) throw why;
      }
    }
  }

  async #opened(signal?: AbortSignal): Promise<Open> {
    signal?.throwIfAborted();
    const opening = (this.#opening ??= this.#open());
    try {
      return await unlessAborted(opening, signal);
    } catch (error) {
      if (this.#opening === opening && !signal?.aborted) this.#forget(opening);
      throw error;
    }
  }

  async #open(isFirst = true): Promise<Open> {
    const [{ Client }, { ToolListChangedNotificationSchema }] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    const { timeMs, bytesMax, onLog, onToolsChanged } = this.#options;
    const state = { isTooLarge: false };
    const client = new Client({ name: 'dramaturg', version: '0.1.0' }, { capabilities: {} });
    const close = () => void client.close().catch(() => {});
    const transport = await transportTo(this.#server, {
      bytesMax,
      onLog,
      onTooLarge: () => {
        state.isTooLarge = true;
        close();
      },
      onCut: close,
    });
    // The SDK's clients have no events.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    client.onerror = ({ message }) => {
      if (message.startsWith('ReadBuffer exceeded')) state.isTooLarge = true;
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#listing = undefined;
      onToolsChanged?.();
    });
    const opening = this.#opening;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    client.onclose = () => this.#forget(opening);
    try {
      await client.connect(transport, { timeout: timeMs });
    } catch (error) {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener
      client.onclose = () => {};
      close();
      if (isFirst && (await this.#authorize(transport, error))) return await this.#open(false);
      throw explained(error, this.#name, { ...this.#options, ...state, isOpening: true });
    }
    if (this.#isClosed) close();
    return { client, transport, state };
  }

  /** Finishes an authorization that a person had to make. @returns false when there is none to finish */
  async #authorize(transport: Transport, error: unknown): Promise<boolean> {
    const { UnauthorizedError } = await import('@modelcontextprotocol/sdk/client/auth.js');
    const code = 'url' in this.#server ? this.#server.authorizationCode : undefined;
    if (!(error instanceof UnauthorizedError) || !code || !('finishAuth' in transport))
      return false;
    await (transport as StreamableHTTPClientTransport).finishAuth(await code());
    return true;
  }

  #forget(opening: Promise<Open> | undefined): void {
    if (opening !== undefined && this.#opening !== opening) return;
    this.#opening = undefined;
    this.#listing = undefined;
  }
}

function isForgottenSession(error: unknown): boolean {
  return (error as { code?: unknown }).code === 404;
}

/** Rejects when the signal aborts. The work continues for other callers. */
async function unlessAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** A tool as a server lists it. All strings come from the server: untrusted. */
interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** The tools of a server, now and as first listed. */
class ToolList {
  #tools = new Map<string, ListedTool>();
  /** The hash of each tool as first listed, by name. Invariant: an entry is never replaced. */
  readonly #first = new Map<string, string>();

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  replace(listed: readonly ListedTool[]): void {
    this.#tools = new Map(listed.map((tool) => [tool.name, tool]));
    for (const tool of listed)
      if (!this.#first.has(tool.name)) this.#first.set(tool.name, hashOf(tool));
  }

  get(name: string): ListedTool | undefined {
    return this.#tools.get(name);
  }

  hasChanged(tool: ListedTool): boolean {
    return this.#first.get(tool.name) !== hashOf(tool);
  }
}

/** Reads an entry of a list. An entry of another shape is left out. */
function listedTool(entry: unknown): ListedTool | undefined {
  if (!isRecord(entry) || typeof entry['name'] !== 'string') return undefined;
  const { name, description, inputSchema } = entry;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    parameters: (isRecord(inputSchema) ? inputSchema : { type: 'object' }) as JsonObject,
  };
}

function hashOf({ name, description, parameters }: ListedTool): string {
  return createHash('sha256')
    .update(JSON.stringify([name, description, sorted(parameters)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, sorted(each)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

interface Circumstances {
  readonly timeMs: number;
  readonly bytesMax: number;
  readonly isTooLarge: boolean;
  readonly isOpening?: boolean;
}

/** JSON-RPC error codes that the SDK makes itself. */
const connectionClosed = -32_000;
const requestTimeout = -32_001;

/** Errors of the SDK's authorization have no common class. */
function isOfAuthorization(error: Error): boolean {
  return 'errorCode' in error || error.constructor.name === 'UnauthorizedError';
}

/** Words an error of the SDK for people. */
function explained(
  error: unknown,
  server: string,
  { timeMs, bytesMax, isTooLarge, isOpening = false }: Circumstances,
): McpError {
  if (error instanceof McpError) return error;
  const { code, message } = error as { code?: unknown; message?: string };
  const said = shortText(message ?? String(error));
  const failed = (problem: McpErrorCode, text: string) =>
    new McpError(problem, `The MCP server "${server}" ${text}`, { cause: error });
  if (isTooLarge)
    return failed(
      'mcp/too-large',
      `sent a message of more than ${bytesMax} bytes. Return less, or raise limits.resultSize.`,
    );
  if (code === requestTimeout)
    return failed(
      'mcp/timed-out',
      `did not answer within ${timeMs} milliseconds. Make it faster, or raise limits.timeMs.`,
    );
  if (error instanceof Error && isOfAuthorization(error))
    return failed(
      'mcp/unauthorized',
      `was not authorized: ${said} Check its clientCredentials or its authProvider.`,
    );
  if (code === 401 || code === 403)
    return failed(
      'mcp/unauthorized',
      `does not accept the token (HTTP ${code}). Check the token of the server.`,
    );
  if (isOpening) {
    const text = `cannot be reached: ${said} Check its command or its URL.`;
    return failed('mcp/server-lost', text.replace('.. ', '. '));
  }
  if (typeof code === 'number' && code < 0 && code !== connectionClosed)
    return failed('mcp/bad-answer', `answered with an error: ${said}`);
  return new McpError(
    'mcp/server-lost',
    `The connection to the MCP server "${server}" ended during the call. It is unknown whether the call had an effect: ${said}`,
    { cause: error },
  );
}
