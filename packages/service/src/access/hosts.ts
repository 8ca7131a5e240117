import { isIP } from 'node:net';
import { AccessError } from './access-error.ts';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The host name and port of a `Host` header or of an authority; undefined for a malformed one. The name is in lower case; an
 * IPv6 address keeps its brackets.
 */
export function hostIn(header: string): { name: string; port: string } | undefined {
  const match = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,253})(?::(\d{1,5}))?$/i.exec(header);
  if (!match) return undefined;
  const name = match[1]!.toLowerCase();
  if (name.startsWith('[') && isIP(name.slice(1, -1)) !== 6) return undefined;
  return { name, port: match[2] ?? '' };
}

/**
 * Decides under which names the service answers. A page that uses DNS rebinding reaches this computer under the name of its
 * own site, which is not allowed. An IP address is always allowed, because no DNS entry can change its meaning.
 */
export class AllowedHosts {
  readonly #allowed: ReadonlySet<string>;

  /** @param hosts names for every port, or with a port: `desk.example.com`, `desk.example.com:8443` */
  constructor(hosts: readonly string[]) {
    const own = hosts.map((given) => {
      const host = hostIn(given);
      if (host) return textOf(host);
      throw new AccessError(500, 'access/options', `"${given}" is not the name of a host.`, {
        hint: 'Write the name that clients use, without a scheme or a path: desk.example.com',
      });
    });
    this.#allowed = new Set([...loopbackNames, ...own]);
  }

  has(header: string): boolean {
    const host = hostIn(header);
    if (!host) return false;
    if (this.#allowed.has(host.name) || this.#allowed.has(textOf(host))) return true;
    return isIP(host.name.replace(/^\[|\]$/g, '')) !== 0;
  }
}

function textOf({ name, port }: { name: string; port: string }): string {
  return port === '' ? name : `${name}:${port}`;
}

/** Whether an address to listen on, or of a client, is reachable from this computer only. */
export function isLoopback(address: string): boolean {
  const plain = address
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/^::ffff:(?=\d+\.)/, '');
  if (plain === 'localhost' || plain === '::1') return true;
  return isIP(plain) === 4 && plain.startsWith('127.');
}

/**
 * Without tokens a service listens on loopback only, because each request may do everything.
 *
 * @throws AccessError `access/tokens-needed` for an address that other computers can reach
 */
export function requireLoopback(hostname: string): void {
  if (isLoopback(hostname)) return;
  throw new AccessError(
    500,
    'access/tokens-needed',
    `Other computers can reach "${hostname}", and a service without tokens listens on loopback only.`,
    {
      hint: 'Create a token with "dramaturg token create --name desk --scope read --file tokens.json" and give the service that file, or listen on 127.0.0.1.',
    },
  );
}

/** The notice of a service without tokens when it begins to listen. */
export const loopbackNotice =
  'Without tokens: only this computer can connect, and every program on it may do everything.';
