import type { ServiceOptions } from '@dramaturg/service';
import type { McpAudit, McpServerOptions } from './mcp-host.ts';
import { mcpServer } from './mcp-server.ts';
import { type SessionLimits, Sessions } from './sessions.ts';

/** Facts about a request from the guard of a service. */
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

/** Options that all sessions of a service share. */
export type McpRouteOptions = Pick<McpServerOptions, 'editor' | 'kindOf' | 'draw'> & {
  readonly limits?: SessionLimits;
};

/**
 * Adds the route `/mcp` to a service: streamable HTTP. A client sees the tools that the scopes of its token allow, or all tools
 * of a service without tokens. A session belongs to the token that began it.
 *
 *     const service = await serveHost(host, { http: '127.0.0.1:8080', mount: mcpRoute({ kindOf, draw }) });
 */
export function mcpRoute({
  limits,
  ...options
}: McpRouteOptions): NonNullable<ServiceOptions['mount']> {
  return (app, _access, ended) => {
    const sessions = new Sessions(limits);
    ended.addEventListener('abort', () => void sessions.close().catch(() => {}), { once: true });
    const numbers = new WeakMap<object, number>();
    let hosts = 0;
    const numberOf = (host: object) => {
      if (!numbers.has(host)) numbers.set(host, (hosts += 1));
      return numbers.get(host);
    };
    app.on(['GET', 'POST', 'DELETE'], '/mcp', (c) => {
      const { principal, access } = c.var as Known;
      const { host, identity } = c.var;
      const audit: McpAudit | undefined =
        access && ((action, outcome) => access.audit({ action, target: undefined, outcome }));
      return sessions.answer(c.req.raw, {
        // A service of tenants has several hosts. A token may get other scopes while it has a session.
        key: JSON.stringify([numberOf(host), principal]),
        createServer: () =>
          mcpServer({
            ...options,
            host,
            events: host.events,
            scopes: principal?.scopes ?? [],
            ...(identity && { identity: { name: identity.name, roles: identity.roles ?? [] } }),
          }),
        extra: { audit },
      });
    });
  };
}
