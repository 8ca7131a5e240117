import { AccessError } from './access-error.ts';
import { FailureLimit } from './failure-limit.ts';
import { type Principal, principalOf } from './principal.ts';
import type { Authenticate } from './read-tokens.ts';
import { hashOf } from './token.ts';

/** Maximum number of hashes of valid tokens in memory. */
const remembered = 10_000;

/**
 * Authenticates requests by their tokens. An address that sends too many unknown tokens is refused for a while. Tokens that were
 * valid before are still accepted: others behind the same proxy are not locked out.
 */
export class Authentication {
  readonly #authenticate: Authenticate;
  readonly #failures: FailureLimit;
  readonly #onError: (error: unknown) => void;
  /** Hashes of tokens that were valid, the most recently accepted last. */
  readonly #accepted = new Set<string>();

  constructor(
    authenticate: Authenticate,
    failuresPerMinute: number,
    onError: (error: unknown) => void,
    now: () => number,
  ) {
    this.#authenticate = authenticate;
    this.#failures = new FailureLimit(failuresPerMinute, now);
    this.#onError = onError;
  }

  /** @throws AccessError 401, 429 or 503 */
  async principal(request: Request, address: string): Promise<Principal> {
    const header = request.headers.get('authorization');
    if (header === null) throw unauthenticated();
    const token = bearerIn(header);
    const hash = token === undefined ? '' : hashOf(token).toString('base64');
    const lookUp = async () => (token === undefined ? undefined : this.#lookUp(token, request));
    // A token that was valid before takes nothing from the bucket, so it is served while its address is limited.
    const known = this.#accepted.has(hash) ? await lookUp() : undefined;
    if (known) return known;
    this.#accepted.delete(hash);
    const principal = await this.#failures.lookUp(networkOf(address), lookUp);
    if (!principal) throw unknownToken();
    this.#accept(hash);
    return principal;
  }

  /** The principal of a token that has authenticated a stream before. @throws AccessError 401 or 503 */
  async again(request: Request): Promise<Principal> {
    const token = bearerIn(request.headers.get('authorization') ?? '');
    const principal = token === undefined ? undefined : await this.#lookUp(token, request);
    if (!principal) throw unknownToken();
    return principal;
  }

  async #lookUp(token: string, request: Request): Promise<Principal | undefined> {
    try {
      const identity = await this.#authenticate(token, request);
      return identity && principalOf(identity);
    } catch (cause) {
      this.#onError(cause);
      throw new AccessError(503, 'access/unavailable', 'Tokens cannot be checked now.', {
        hint: 'Try again later.',
        headers: { 'retry-after': '5' },
        cause,
      });
    }
  }

  #accept(hash: string): void {
    this.#accepted.add(hash);
    if (this.#accepted.size <= remembered) return;
    const [oldest] = this.#accepted;
    this.#accepted.delete(oldest!);
  }
}

/** The network of an IPv6 client, which can use any of its 2⁶⁴ addresses. An IPv4 address is returned unchanged. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

const challenge = 'Bearer realm="dramaturg"';

function unauthenticated(): AccessError {
  return new AccessError(401, 'access/unauthenticated', 'The request has no token.', {
    hint: 'Send the header "authorization: Bearer dmt_…".',
    headers: { 'www-authenticate': challenge },
  });
}

function unknownToken(): AccessError {
  return new AccessError(401, 'access/unknown-token', 'The token is unknown, expired or revoked.', {
    hint: 'Ask the operator of the service for a token.',
    headers: { 'www-authenticate': `${challenge}, error="invalid_token"` },
  });
}

/** Longer values are not tokens. Base64 of 256 bits has 43 characters; signed tokens of identity providers are longer. */
const longestToken = 4_096;

const bearer = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The token in an `Authorization` header; undefined for other schemes and malformed values. Two headers arrive as one value with
 * a comma, which is malformed. Spec: RFC 6750, section 2.1
 */
export function bearerIn(header: string): string | undefined {
  if (header.length > longestToken) return undefined;
  return bearer.exec(header)?.[1];
}
