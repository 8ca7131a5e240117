import { BlockList, isIP } from 'node:net';
import { visible } from '@dramaturg/compiler/text';
import { UsageError } from '../../usage-error.ts';

/** The address that handlers listen on when none is given. Processes on this machine share it. */
export const defaultListen = '127.0.0.1:9080';

/** @throws UsageError when it is not written as `host:port` */
export function readListen(given: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(given) ?? [];
  const [host, port] = [bracketed ?? plain, Number(digits)];
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new UsageError(
    `"${visible(given)}" is not an address to listen on.`,
    `Write it as host:port, such as: --listen ${defaultListen}. The port 0 takes a free one.`,
  );
}

/**
 * Only the Restate that has the private key may call handlers that other machines can reach: anybody else could run steps of
 * instances, and read their data.
 *
 * @throws UsageError for an address of other interfaces without keys
 */
export function requireKeys(host: string, identityKeys: readonly string[]): void {
  for (const key of identityKeys) {
    if (/^publickeyv1_[1-9A-HJ-NP-Za-km-z]{40,50}$/.test(key)) continue;
    throw new UsageError(
      `"${visible(key)}" is not a public key of Restate.`,
      'Copy the key that begins with "publickeyv1_" from what restate-server prints when it starts with RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE.',
    );
  }
  if (identityKeys.length > 0 || isLoopback(host)) return;
  throw new UsageError(
    `Other machines can reach "${visible(host)}", and without keys everybody there could call the handlers.`,
    'Let Restate sign its requests: set RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE where it runs, and give the public key that it prints: --identity-key publickeyv1_...',
  );
}

/** @throws UsageError when the handlers listen on all addresses and none is advertised */
export function requireCallable(host: string, advertised: string | undefined): void {
  if (advertised !== undefined || !['0.0.0.0', '::'].includes(host)) return;
  throw new UsageError(
    `"${host}" stands for all addresses of this machine, and Restate has to call one.`,
    'Add the URL of this machine, or of the load balancer: --advertise http://handlers.internal:9080',
  );
}

/** @throws UsageError when it is not a URL */
export function requireAdvertised(given: string | undefined): void {
  if (given === undefined || /^https?:$/.test(URL.parse(given)?.protocol ?? '')) return;
  throw new UsageError(
    `"${visible(given)}" is not a URL of handlers.`,
    'Write it with its protocol and port, such as: --advertise http://handlers.internal:9080',
  );
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
