import type { Chart } from '@dramaturg/compiler';
import { toMermaid } from '@dramaturg/compiler/chart';
import * as server from '@dramaturg/mcp/server';
import type { ServeHostOptions } from './service.ts';
import { kindOf } from './known-formats.ts';
import { editor } from './mcp/editor.ts';

/** What a server knows about definitions of all formats. */
const aboutDefinitions = {
  editor,
  kindOf,
  draw: (chart: unknown) => toMermaid(chart as Chart),
};

/**
 * Adds the route `/mcp` to a service: streamable HTTP. A client has the tools that the scopes of its token allow. See docs/mcp.md#serve-definitions-to-assistants
 *
 *     const service = await serveHost(host, { http: '127.0.0.1:8080', tokens: 'tokens.json', mount: mcpRoute() });
 */
export function mcpRoute(
  limits: server.SessionLimits = {},
): NonNullable<ServeHostOptions['mount']> {
  return server.mcpRoute({ ...aboutDefinitions, limits });
}

/**
 * Serves a host to a client on the standard streams of this process, until the client closes them or the signal aborts. The
 * client may do everything that this process may do.
 */
export function serveMcp(
  host: server.McpHost,
  signal: AbortSignal,
  events?: server.McpEvents,
): Promise<void> {
  return server.serveStdio({ ...aboutDefinitions, host, events }, signal);
}
