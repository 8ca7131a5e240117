import { protectHeaders, protectSecret } from '@dramaturg/compiler';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ResponseWatch } from './bounded-fetch.ts';
import type { HttpServer, McpServer, StdioServer } from './options.ts';

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
  const [{ StreamableHTTPClientTransport }, { boundedFetch }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('./bounded-fetch.ts'),
  ]);
  const { url, token, headers = {} } = server;
  protectHeaders(headers);
  const fetchBounded = boundedFetch(watch);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: async (input, init) => {
      const current = typeof token === 'function' ? await token() : token;
      if (current === undefined) return fetchBounded(input, init);
      protectSecret(current);
      const withToken = new Headers(init?.headers);
      withToken.set('authorization', `Bearer ${current}`);
      return fetchBounded(input, { ...init, headers: withToken });
    },
  });
  return transport;
}
