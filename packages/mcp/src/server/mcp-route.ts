import type { ServiceOptions } from '@dramaturg/service';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { McpServerOptions } from './mcp-host.ts';
import { mcpServer } from './mcp-server.ts';

/** What the guard of a service knows about a request. */
interface Known {
  readonly principal?: { readonly scopes: readonly string[] };
  readonly access?: {
    readonly audit: (entry: {
      readonly action: string;
      readonly target: string | undefined;
      readonly outcome: 'started' | 'done' | 'refused';
    }) => Promise<void>;
  };
}

/**
 * Adds the route `/mcp` to a service: streamable HTTP without sessions. A client has the tools that the scopes of its token
 * allow. Without tokens it has all of them.
 *
 *     const service = await serveHost(host, { http: '127.0.0.1:8080', mount: mcpRoute({ kindOf, draw }) });
 */
export function mcpRoute(
  options: Pick<McpServerOptions, 'editor' | 'kindOf' | 'draw'>,
): NonNullable<ServiceOptions['mount']> {
  return (app) => {
    app.post('/mcp', async (c) => {
      const { principal, access } = c.var as Known;
      const { host, identity } = c.var;
      const server = mcpServer({
        ...options,
        host,
        scopes: principal?.scopes ?? [],
        ...(identity && { identity: { name: identity.name, roles: identity.roles ?? [] } }),
        audit:
          access && ((action, outcome) => access.audit({ action, target: undefined, outcome })),
      });
      // A server for each request: nothing of a client stays in this process.
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      const answer = await transport.handleRequest(c.req.raw);
      c.req.raw.signal.addEventListener('abort', () => void server.close(), { once: true });
      return answer;
    });
    // There are no streams of the server and no sessions, which the protocol says with 405.
    app.on(['GET', 'DELETE'], '/mcp', (c) => c.body(null, 405, { allow: 'POST' }));
  };
}
