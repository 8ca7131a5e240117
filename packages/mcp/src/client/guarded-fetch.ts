import {
  Agent,
  fetch as fetchWith,
  type RequestInit as FetchOptions,
  type Response as FetchedResponse,
} from 'undici';
import { McpError } from '../error.ts';
import { AddressGuard, type LookUp, refused } from './address-guard.ts';

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const redirectsMax = 5;

/**
 * `fetch` for addresses that an MCP server names: those of its authorization server and of redirects. Without it, a server could
 * read what only this machine can reach. The program chooses the address of the server itself.
 *
 * @param lookUp the lookup of names; that of `node:dns` when left out
 * @throws McpError `mcp/not-allowed`
 */
export function guardedFetch(server: string, lookUp?: LookUp): typeof fetch {
  const own = new URL(server);
  const guard = new AddressGuard(own, lookUp);
  const send = guardedSend(guard);
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input);
    let request: RequestInit = { ...init, redirect: 'manual' };
    for (let count = 0; ; count += 1) {
      const isOwn = url.host === own.host;
      if (!isOwn) await guard.require(url);
      const target = count === 0 && input instanceof Request ? input : url;
      const response = await (isOwn ? fetch : send)(target, request);
      const location = response.headers.get('location');
      if (!redirects.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const next = URL.parse(location, url.href);
      if (!next || count === redirectsMax) throw refused(location, 'it has redirected too often');
      if (next.origin !== url.origin) request = { ...request, headers: withoutSecrets(request) };
      const { method = 'GET' } = request;
      const isRead = method === 'GET' || method === 'HEAD';
      if (!isRead && response.status < 307) request = { ...request, method: 'GET', body: null };
      else if (!isRead && next.origin !== url.origin)
        throw refused(next.origin, 'a request with data is not sent to another server');
      url = next;
    }
  };
}

/**
 * `fetch` whose connections go to addresses that the guard has checked. Node's own `fetch` does not accept an agent of another
 * release of undici.
 */
function guardedSend(guard: AddressGuard): typeof fetch {
  const dispatcher = new Agent({ connect: { lookup: guard.lookup } });
  return async (input, init) => {
    const [url, given] = input instanceof Request ? partsOf(input) : [String(input), {}];
    try {
      return asResponse(await fetchWith(url, { ...given, ...init, dispatcher } as FetchOptions));
    } catch (error) {
      // The refusal is the cause of a "fetch failed".
      if (error instanceof Error && error.cause instanceof McpError) throw error.cause;
      throw error;
    }
  };
}

function partsOf({ url, method, headers, body, signal }: Request): [string, RequestInit] {
  return [url, { method, headers, body, signal, ...(body && { duplex: 'half' }) }];
}

/** Converts a response to Node's `Response`, for callers that check its class. */
function asResponse({ body, status, statusText, headers, url }: FetchedResponse): Response {
  const response = new Response(body as ReadableStream<Uint8Array> | null, {
    status,
    statusText,
    headers: [...headers],
  });
  return Object.defineProperty(response, 'url', { value: url });
}

function withoutSecrets({ headers }: RequestInit): Headers {
  const kept = new Headers(headers);
  for (const name of ['authorization', 'cookie', 'mcp-session-id']) kept.delete(name);
  return kept;
}
