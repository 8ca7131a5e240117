import { AccessError } from './access-error.ts';

/** The headers by which browsers tell where a request comes from. */
interface BrowserHeaders {
  readonly host: string;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined;
  /** `Sec-Fetch-Mode`. */
  readonly mode: string | undefined;
  /** `Sec-Fetch-Dest`. */
  readonly destination: string | undefined;
  readonly method: string;
}

/** Decides which web pages may send requests. Programs send neither `Origin` nor `Sec-Fetch-Site`. */
export class AllowedOrigins {
  readonly #allowed: ReadonlySet<string>;

  /** @param origins as browsers write them: `https://desk.example.com` */
  constructor(origins: readonly string[]) {
    for (const origin of origins) {
      if (URL.parse(origin)?.origin === origin && origin !== 'null') continue;
      throw new AccessError(500, 'access/options', `"${origin}" is not an origin.`, {
        hint: 'Write scheme, host and port without a path: https://desk.example.com',
      });
    }
    this.#allowed = new Set(origins);
  }

  /** Whether pages of an origin may read responses. */
  has(origin: string): boolean {
    return this.#allowed.has(origin);
  }

  /**
   * Whether a request comes from a page that may not send it. Other ports of this computer are the same site, but other
   * origins, so `same-site` is refused too. A link from another page may be followed: it changes nothing, and the other page
   * cannot read the response.
   */
  refuses({ host, origin, site, mode, destination, method }: BrowserHeaders): boolean {
    if (origin !== undefined) {
      if (this.has(origin)) return false;
      // The scheme is not compared: a proxy that ends TLS forwards requests of https pages as http.
      return origin !== `http://${host}` && origin !== `https://${host}`;
    }
    if (site === undefined || site === 'same-origin' || site === 'none') return false;
    const isLink = mode === 'navigate' && destination === 'document';
    return !(isLink && (method === 'GET' || method === 'HEAD'));
  }
}

/** The headers of a response that let a page of an allowed origin read it. */
export function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'retry-after, x-request-id, www-authenticate, mcp-session-id, mcp-protocol-version',
  };
}

/** Answers a preflight request of an allowed origin. Credentials other than tokens are never allowed. */
export function preflightResponse(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(origin),
      vary: 'Origin',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, idempotency-key, last-event-id, dramaturg-tenant, traceparent, mcp-session-id, mcp-protocol-version',
      'access-control-max-age': '600',
    },
  });
}
