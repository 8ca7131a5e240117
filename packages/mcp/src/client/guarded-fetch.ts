import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { McpError } from '../error.ts';

/** Addresses that no server leads to: those of metadata services of clouds, of the link, and of groups of machines. */
const forbidden = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
  ['ff00::', 8],
]);

/** Addresses of this machine and of private networks. A server that has one itself may lead to others. */
const inner = blockList([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
]);

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const redirectsMax = 5;

/**
 * `fetch` for what an MCP server names: the addresses of its authorization server, and those to which it redirects. Without it, a
 * server could read what only this machine can reach. The address of the server itself is the choice of the program.
 *
 * @throws McpError `mcp/not-allowed`
 */
export function guardedFetch(server: string): typeof fetch {
  const own = new URL(server);
  const require = async (url: URL) => {
    if (url.host !== own.host) await requireOuter(url, own);
  };
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : input);
    let request: RequestInit = { ...init, redirect: 'manual' };
    for (let count = 0; ; count += 1) {
      await require(url);
      const response = await fetch(count === 0 && input instanceof Request ? input : url, request);
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

async function requireOuter(url: URL, own: URL): Promise<void> {
  if (!['http:', 'https:'].includes(url.protocol)) throw refused(url.href, 'it is not HTTP');
  const addresses = await addressesOf(url);
  if (addresses.some((address) => has(forbidden, address)))
    throw refused(url.origin, 'it is an address of the link or of a metadata service');
  if (!addresses.some((address) => has(inner, address))) return;
  const isInner = (await addressesOf(own)).every((address) => has(inner, address));
  if (!isInner) throw refused(url.origin, 'it is in a private network, and the server is not');
}

/** Names without an address have none: `fetch` reports them. */
async function addressesOf({ hostname }: URL): Promise<readonly string[]> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return [bare];
  const found = await lookup(bare, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

function withoutSecrets({ headers }: RequestInit): Headers {
  const kept = new Headers(headers);
  for (const name of ['authorization', 'cookie', 'mcp-session-id']) kept.delete(name);
  return kept;
}

function refused(address: string, because: string): McpError {
  const shown = JSON.stringify(address.slice(0, 200));
  return new McpError('mcp/not-allowed', `The MCP server leads to ${shown}: ${because}.`);
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
