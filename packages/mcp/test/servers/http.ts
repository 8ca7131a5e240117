import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { fixtureServer } from './fixture.ts';

/** Answers a request instead of the server; false leaves it to the server. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The fixture over streamable HTTP, with a session for each client. */
export async function httpServer({ token, port = 0 }: { token?: string; port?: number } = {}) {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const calls: string[] = [];
  const tokens: (string | undefined)[] = [];
  const faults: { current: Fault } = { current: () => false };
  const server = createServer((request, response) => {
    if (faults.current(request, response)) return;
    tokens.push(request.headers.authorization);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return response.writeHead(401).end();
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (!known && request.headers['mcp-session-id'] !== undefined)
      return response.writeHead(404).end();
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      });
    if (!known) await fixtureServer(calls).connect(transport);
    await transport.handleRequest(request, response);
  };
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}/mcp`,
    port: actual,
    calls,
    tokens,
    faults,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
