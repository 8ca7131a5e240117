import type { Chart } from '@dramaturg/compiler';
import { toMermaid } from '@dramaturg/compiler/chart';
import * as server from '@dramaturg/mcp/server';
import type { ServeHostOptions } from '../service.ts';
import { kindOf } from '../known-formats.ts';
import { editor } from './editor.ts';

/** The functions of a server for definitions of all formats. */
const aboutDefinitions = {
  editor,
  kindOf,
  draw: (chart: unknown) => toMermaid(chart as Chart),
};

/**
 * Adds the route `/mcp` to a service: streamable HTTP. A client has the tools that the scopes of its token allow. See docs/mcp.md#serve-definitions-to-assistants
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * const service = await serveHost(host, { http: '127.0.0.1:0', mount: mcpRoute() });
 * const request = {
 *   jsonrpc: '2.0',
 *   id: 1,
 *   method: 'initialize',
 *   params: {
 *     protocolVersion: '2025-06-18',
 *     capabilities: {},
 *     clientInfo: { name: 'assistant', version: '1' },
 *   },
 * };
 * const answer = await fetch(`${service.url}/mcp`, {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
 *   body: JSON.stringify(request),
 * });
 * console.log(answer.status); // → 200
 * service.close();
 * await host.stop();
 * await service.end();
 * ```
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
