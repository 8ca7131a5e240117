import { randomUUID } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { AccessError } from './access-error.ts';
import { bufferBody } from './body.ts';
import {
  type AccessEnv,
  connectionAddress,
  GuardedRequests,
  type GuardOptions,
} from './guarded-requests.ts';
import { AllowedHosts } from './hosts.ts';
import { defaultLimits } from './limits.ts';

/**
 * The middleware in front of all routes that need a token. It refuses requests under a foreign host name, from foreign web pages,
 * without a valid token, above the limits, or with a body that is not JSON, too large or too slow. Then it sets `principal` and
 * `requestId`. Routes after it say with `requireScope` what they need.
 *
 * @throws AccessError `access/options` for malformed hosts or origins
 */
export function guard(options: GuardOptions = {}): MiddlewareHandler<AccessEnv> {
  const requests = new GuardedRequests(options);
  return guardedBy(options, {
    admit: (context) => requests.admit(context),
    admitted: (context) => requests.countStream(context),
  });
}

/**
 * The middleware in front of channels, which verify their senders themselves: like `guard`, but without tokens, and with bodies
 * of any media type. It sets `requestId`.
 *
 * @param bodyBytesOf the most bytes of a body for the channel of a request, if that is more than the limit
 * @throws AccessError `access/options` for malformed hosts or origins
 */
export function channelGuard(
  options: GuardOptions = {},
  bodyBytesOf: BodyBytesOf = () => undefined,
): MiddlewareHandler<AccessEnv> {
  const limits = { ...defaultLimits, ...options.limits };
  const { addressOf = connectionAddress } = options;
  return guardedBy(options, {
    mayEmbed: true,
    admit: (context) => {
      context.set('address', addressOf(context));
      const bodyBytes = Math.max(limits.bodyBytes, bodyBytesOf(context.req.param()) ?? 0);
      return bufferBody(context.req, { ...limits, bodyBytes });
    },
  });
}

/** @param params of the path of a channel */
export type BodyBytesOf = (params: {
  readonly name?: string;
  readonly tenant?: string;
}) => number | undefined;

interface Admission {
  /**
   * Whether pages of other origins may show responses as scripts and in frames. They cannot read them. The content policy of a
   * channel says who may show its page.
   */
  readonly mayEmbed?: boolean;
  /** @throws AccessError */
  readonly admit: (context: Context<AccessEnv>) => Promise<void>;
  /** Called with the request once it has a response. */
  readonly admitted?: (context: Context<AccessEnv>) => void;
}

function guardedBy(
  options: GuardOptions,
  { admit, admitted, mayEmbed = false }: Admission,
): MiddlewareHandler<AccessEnv> {
  const { allowedHosts = [], allowedOrigins = [] } = options;
  const hosts = new AllowedHosts(allowedHosts);
  const origins = new AllowedOrigins(allowedOrigins);
  return async (context, next) => {
    const requestId = randomUUID();
    context.set('requestId', requestId);
    const origin = context.req.header('origin');
    const mayRead = origin !== undefined && origins.has(origin);
    try {
      if (options.via !== 'socket') requireHost(context, hosts);
      if (!(mayEmbed && isEmbedding(context))) requireOrigin(context, origins);
      if (context.req.method === 'OPTIONS' && mayRead) {
        context.res = preflightResponse(origin);
      } else {
        await admit(context);
        await next();
        admitted?.(context);
      }
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      replace(context, error.getResponse());
    }
    if (context.req.method === 'HEAD') withoutBody(context);
    const headers = changeableHeaders(context);
    headers.set('x-request-id', requestId);
    headers.set('x-content-type-options', 'nosniff');
    headers.append('vary', 'Origin');
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    if (!mayRead) return;
    for (const [name, value] of Object.entries(corsHeaders(origin))) headers.set(name, value);
  };
}

/** Ends the body of a response to HEAD, which nobody reads: a stream would stay open forever. */
function withoutBody(context: Context<AccessEnv>): void {
  const { body, status, headers } = context.res;
  body?.cancel().catch(() => {});
  replace(context, new Response(null, { status, headers }));
}

/** The headers of the response. A response that a route has fetched from elsewhere has immutable headers, so it is copied. */
function changeableHeaders(context: Context<AccessEnv>): Headers {
  const { body, status, headers } = context.res;
  try {
    headers.delete('x-request-id');
  } catch {
    replace(context, new Response(body, { status, headers }));
  }
  return context.res.headers;
}

function replace(context: Context<AccessEnv>, response: Response): void {
  // Without this, the headers of the former response are kept.
  context.res = undefined;
  context.res = response;
}

/** A request line can name a host too, and both can differ. */
function requireHost({ req }: Context<AccessEnv>, hosts: AllowedHosts): void {
  const authority = new URL(req.url).host;
  const header = req.header('host') ?? authority;
  if (hosts.has(header) && hosts.has(authority)) return;
  throw new AccessError(421, 'access/host', 'This service does not answer under this host name.', {
    hint: 'Use its own address, or add the name to the allowed hosts of the service.',
  });
}

/** Browsers send `Origin` with all other requests from pages. */
function isEmbedding({ req }: Context<AccessEnv>): boolean {
  return req.header('origin') === undefined && ['GET', 'HEAD'].includes(req.method);
}

function requireOrigin({ req }: Context<AccessEnv>, origins: AllowedOrigins): void {
  const isForeign = origins.refuses({
    host: req.header('host') ?? new URL(req.url).host,
    origin: req.header('origin'),
    site: req.header('sec-fetch-site'),
    mode: req.header('sec-fetch-mode'),
    destination: req.header('sec-fetch-dest'),
    method: req.method,
  });
  if (!isForeign) return;
  throw new AccessError(403, 'access/origin', 'Pages of other origins are refused.', {
    hint: 'Add the origin of the page to the allowed origins of the service.',
  });
}

/** The headers in which browsers say where a request comes from. */
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
   * Whether a request comes from a page that may not send it. `same-site` is refused too: another port of this computer is the
   * same site but another origin. A link from another page may be followed: it changes nothing, and the other page cannot read
   * the response.
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
function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'retry-after, x-request-id, www-authenticate, mcp-session-id, mcp-protocol-version',
  };
}

/** Answers a preflight request of an allowed origin. Credentials other than tokens are never allowed. */
function preflightResponse(origin: string): Response {
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
