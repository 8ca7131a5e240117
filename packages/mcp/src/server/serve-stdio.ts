import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { McpServerOptions } from './mcp-host.ts';
import { mcpServer } from './mcp-server.ts';

/** Serves a client on the standard streams of this process, until the client closes them or the signal aborts. */
export async function serveStdio(options: McpServerOptions, signal: AbortSignal): Promise<void> {
  const server = mcpServer(options);
  const ended = Promise.race([
    once(process.stdin, 'end'),
    once(process.stdin, 'close'),
    ...(signal.aborted ? [Promise.resolve()] : [once(signal, 'abort')]),
  ]);
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
