import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };

/** Passes requests to a server, but fails calls of tools in the way of `mode`. */
export async function faultyProxy(target: string, mode: string) {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    if (body.includes('tools/call')) {
      const { id } = JSON.parse(body) as { id: number };
      fail(id, mode, response);
    } else await pass(target, request, body, response);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function fail(id: number, mode: string, response: ServerResponse): void {
  const result = { content: [{ type: 'text', text: 'x'.repeat(4_000_000) }] };
  const large = JSON.stringify({ jsonrpc: '2.0', id, result });
  const cut = () => void setTimeout(() => response.destroy(), 50);
  const failures: Readonly<Record<string, () => unknown>> = {
    garbage: () => response.writeHead(200, json).end('{"jsonrpc":"2.0",'),
    html: () => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome'),
    cut: () => response.writeHead(200, { ...json, 'content-length': '500' }).write('{"json', cut),
    'cut stream': () => response.writeHead(200, events).write('event: message\ndata: {"js', cut),
    mute: () => {},
    error: () => response.writeHead(500, json).end('{"why":"a bug"}'),
    flood: () => response.writeHead(200, json).end(large),
    'flood stream': () => response.writeHead(200, events).end(`event: message\ndata: ${large}\n\n`),
  };
  failures[mode]!();
}

async function pass(
  target: string,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): Promise<void> {
  const {
    host: _host,
    connection: _connection,
    'content-length': _length,
    ...headers
  } = request.headers;
  const answer = await fetch(target, {
    method: request.method!,
    headers: headers as Record<string, string>,
    ...(body !== '' && { body }),
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (request.method === 'GET') await answer.body?.cancel();
  else response.end(await answer.text());
}
