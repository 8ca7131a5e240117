import { lookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import {
  Agent,
  fetch as fetchWith,
  type RequestInit as FetchOptions,
  type Response as FetchedResponse,
} from 'undici';
import { McpError } from '../error.ts';

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

/** Addresses that no server may lead to: cloud metadata services, link-local, multicast and reserved addresses. */
const forbidden = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['ff00::', 8],
]);

/** Addresses of this machine and of private networks. A server with such an address may lead to others. */
const inner = blockList([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
]);

/** Looks up all addresses of a name, as `lookup` of `node:dns`. */
export type LookUp = (
  name: string,
  options: { readonly all: true },
  answer: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Decides to which addresses an MCP server may lead. A name is looked up once for each connection, and the connection goes to the
 * addresses that were checked: a name that changes its address in between (DNS rebinding) has no effect.
 */
class AddressGuard {
  readonly #server: string;
  readonly #lookUp: LookUp;

  /** @param server the address of the server, which the program has chosen */
  constructor(server: URL, find: LookUp = lookup) {
    this.#server = bare(server);
    this.#lookUp = find;
  }

  /**
   * Checks what the lookup of a connection does not see: the protocol, and an IP address in place of a name.
   *
   * @throws McpError `mcp/not-allowed`
   */
  async require(url: URL): Promise<void> {
    if (!['http:', 'https:'].includes(url.protocol)) throw refused(url.href, 'it is not HTTP');
    const host = bare(url);
    if (isIP(host) !== 0) await this.#requireAll(url.origin, [host]);
  }

  /** The lookup of a connection. It fails with `mcp/not-allowed` when one of the addresses is not allowed. */
  readonly lookup: LookupFunction = (name, options, answer) => {
    this.#lookUp(name, { ...options, all: true }, (error, found) => {
      if (error) return answer(error, []);
      const addresses = found.map(({ address }) => address);
      this.#requireAll(name, addresses).then(
        () =>
          options.all === true
            ? answer(null, found)
            : answer(null, found[0]!.address, found[0]!.family),
        (refusal: Error) => answer(refusal, []),
      );
    });
  };

  async #requireAll(shown: string, addresses: readonly string[]): Promise<void> {
    if (addresses.some((address) => has(forbidden, address)))
      throw refused(shown, 'it is an address of the link or of a metadata service');
    if (!addresses.some((address) => has(inner, address))) return;
    if (!(await this.#isServerInner()))
      throw refused(shown, 'it is in a private network, and the server is not');
  }

  async #isServerInner(): Promise<boolean> {
    const addresses = await this.#addressesOf(this.#server);
    return addresses.length > 0 && addresses.every((address) => has(inner, address));
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    return new Promise((resolve) => {
      this.#lookUp(host, { all: true }, (error, found) =>
        resolve(error ? [] : found.map(({ address }) => address)),
      );
    });
  }
}

function refused(address: string, because: string): McpError {
  const shown = JSON.stringify(address.slice(0, 200));
  return new McpError('mcp/not-allowed', `The MCP server leads to ${shown}: ${because}.`);
}

/** The host of an address, without the brackets of IPv6. */
function bare({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function blockList(nets: readonly (readonly [address: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of nets)
    list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}
