import { protectHeaders, protectSecret } from '@dramaturg/compiler/secrets';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ResponseWatch } from './bounded-fetch.ts';
import type { ClientCredentials, HttpServer, McpServer, StdioServer } from './options.ts';

export interface TransportOptions extends ResponseWatch {
  readonly onLog?: ((text: string) => void) | undefined;
}

/** A new connection to a server, not started yet. The SDK is loaded at the first one. */
export async function transportTo(
  server: McpServer,
  options: TransportOptions,
): Promise<Transport> {
  return 'url' in server ? overHttp(server, options) : overStdio(server, options);
}

async function overStdio(server: StdioServer, options: TransportOptions): Promise<Transport> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { command, args = [], cwd, env = {}, inheritEnv = [] } = server;
  const inherited = inheritEnv.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...Object.fromEntries(inherited), ...env },
    ...(cwd !== undefined && { cwd }),
    stderr: options.onLog ? 'pipe' : 'ignore',
    maxBufferSize: options.bytesMax,
  });
  transport.stderr?.on('data', (part: Buffer) => options.onLog?.(part.toString('utf8')));
  return transport;
}

async function overHttp(server: HttpServer, watch: ResponseWatch): Promise<Transport> {
  const [{ StreamableHTTPClientTransport }, { boundedFetch }, { guardedFetch }, authProvider] =
    await Promise.all([
      import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
      import('./bounded-fetch.ts'),
      import('./guarded-fetch.ts'),
      authProviderOf(server),
    ]);
  const { url, headers = {} } = server;
  protectHeaders(headers);
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: withToken(boundedFetch(watch, guardedFetch(url)), server),
    ...(authProvider && { authProvider }),
  });
}

/** Providers keep the tokens of this process, so that a new connection does not need new ones. */
const providers = new WeakMap<ClientCredentials, OAuthClientProvider>();

/** Gets tokens from the authorization server of an MCP server. Undefined for a server with a fixed token, or without tokens. */
async function authProviderOf({
  authProvider,
  clientCredentials,
}: HttpServer): Promise<OAuthClientProvider | undefined> {
  if (!clientCredentials) return authProvider;
  const known = providers.get(clientCredentials);
  if (known) return known;
  const { ClientCredentialsProvider } =
    await import('@modelcontextprotocol/sdk/client/auth-extensions.js');
  const { clientId, clientSecret, scope, issuer } = clientCredentials;
  protectSecret(clientSecret);
  const provider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    clientName: 'dramaturg',
    ...(scope !== undefined && { scope }),
    expectedIssuer: issuer,
  });
  providers.set(clientCredentials, provider);
  return provider;
}

/** `fetch` with the current token of the server. A request that is answered with 401 is sent again with a newer token, once. */
function withToken(send: typeof fetch, { token }: Pick<HttpServer, 'token'>): typeof fetch {
  const current = async () => (typeof token === 'function' ? token() : token);
  const sendWith = async (
    bearer: string | undefined,
    ...[input, init]: Parameters<typeof fetch>
  ) => {
    const headers = new Headers(init?.headers);
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
    // The token may also come from a provider.
    const [, secret] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
    if (secret !== undefined) protectSecret(secret);
    return send(input, { ...init, headers });
  };
  return async (input, init) => {
    const bearer = await current();
    const response = await sendWith(bearer, input, init);
    if (response.status !== 401 || typeof token !== 'function') return response;
    const newer = await current();
    if (newer === bearer) return response;
    await response.body?.cancel();
    return sendWith(newer, input, init);
  };
}
