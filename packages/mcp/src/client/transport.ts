import { protectHeaders } from '@dramaturg/compiler/secrets';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { authProviderOf, withToken } from './authorize.ts';
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
