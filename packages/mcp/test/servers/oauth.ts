import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Fault, httpServer } from './http.ts';

/** An MCP server that takes the latest token of an authorization server, which gives them to the client `desk`. */
export async function oauthServer(secret: string) {
  const requests: URLSearchParams[] = [];
  let valid: string | undefined;
  const authorization = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/token') {
      requests.push(new URLSearchParams(await text(request)));
      const isKnown = request.headers.authorization === `Basic ${btoa(`desk:${secret}`)}`;
      if (!isKnown) return json(response, { error: 'invalid_client' }, 401);
      valid = `issued-token-${requests.length}`;
      return json(response, { access_token: valid, token_type: 'Bearer' });
    }
    return json(response, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
  };
  await new Promise<void>((resolve) => void authorization.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(authorization.address() as AddressInfo).port}`;
  const server = await httpServer();
  const origin = new URL(server.url).origin;
  const guard: Fault = (request, response) => {
    if (request.url?.startsWith('/.well-known/')) {
      json(response, { resource: server.url, authorization_servers: [issuer] });
      return true;
    }
    if (valid !== undefined && request.headers.authorization === `Bearer ${valid}`) return false;
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    return true;
  };
  server.faults.current = guard;
  return {
    url: server.url,
    issuer,
    /** The requests for tokens. */
    requests,
    revoke: () => (valid = undefined),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      authorization.closeAllConnections();
      await new Promise((resolve) => authorization.close(resolve));
    },
  };
}

function json(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
