import { eventStreamType } from '@dramaturg/host/channel';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { AccessError } from './access-error.ts';
import type { Audit, AuditEntry } from './audit-file.ts';
import { bufferBody, readBody, requireJson } from './body.ts';
import { isLoopback } from './hosts.ts';
import { type AccessLimits, defaultLimits } from './limits.ts';
import { loopbackPrincipal, type Principal, principalOf, socketPrincipal } from './principal.ts';
import type { Authenticate } from './read-tokens.ts';
import { FailureLimit, TokenBuckets } from './failure-limit.ts';
import { hashOf } from './tokens.ts';

export interface GuardOptions {
  /** Finds the identity of a token: `await readTokens(file)` or a function. Without it, only this computer may connect. */
  readonly authenticate?: Authenticate | undefined;
  /** `socket`: the service listens on a socket of one user, who may do everything. Host names are not checked. */
  readonly via?: 'socket' | undefined;
  /** Names under which clients reach the service. Loopback names and IP addresses are always allowed. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may call the service from another host: `https://desk.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly limits?: Partial<AccessLimits> | undefined;
  /** Stores the actions of operators: `(await auditFile(path)).append`. Without it, no actions are stored. */
  readonly onAudit?: Audit | undefined;
  /** Receives errors of `authenticate` and `onAudit`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The address of the client. Default: the address of the connection, which may be a proxy. */
  readonly addressOf?: ((context: Context<AccessEnv>) => string | undefined) | undefined;
  /** The monotonic time, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

/** Maximum number of accounts in memory whose requests are counted. */
const accountsMax = 100_000;

/** Finds the principals of requests, and enforces the limits. */
export class GuardedRequests {
  readonly #limits: AccessLimits;
  readonly #authentication: Authentication | undefined;
  readonly #via: 'socket' | undefined;
  readonly #rates: TokenBuckets;
  readonly #streams: Streams;
  readonly #audit: Audit;
  readonly #onError: (error: unknown) => void;
  readonly #addressOf: (context: Context<AccessEnv>) => string | undefined;

  constructor({
    authenticate,
    via,
    limits,
    onAudit = () => {},
    onError = warn,
    addressOf = connectionAddress,
    now = () => performance.now(),
  }: GuardOptions) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#authentication =
      authenticate &&
      new Authentication(authenticate, this.#limits.failuresPerMinute, onError, now);
    this.#via = via;
    this.#rates = new TokenBuckets(accountsMax, now);
    this.#streams = new Streams(this.#limits.recheckStreamsMs);
    this.#audit = onAudit;
    this.#onError = onError;
    this.#addressOf = addressOf;
  }

  /** Sets the principal of a request and reads its body. @throws AccessError */
  async admit(context: Context<AccessEnv>): Promise<void> {
    const { req } = context;
    requireJson(req.raw);
    const principal = await this.#principalOf(context);
    this.#count(principal);
    context.set('principal', principal);
    context.set('access', this.#accessOf(context, principal));
    await bufferBody(req, this.#limits, readBody);
  }

  /** Counts a response that is a stream until it ends. @throws AccessError `access/too-many-streams` */
  countStream(context: Context<AccessEnv>): void {
    const { res, env, req } = context;
    if (!res.headers.get('content-type')?.startsWith(eventStreamType)) return;
    const principal = context.get('principal');
    if (principal.via !== 'token') return;
    const end = () => void (env?.outgoing?.destroy() ?? res.body?.cancel().catch(() => {}));
    try {
      this.#streams.open({
        key: accountOf(principal),
        streamsMax: principal.limits?.streams ?? this.#limits.streams,
        onEnd: (listener) => {
          if (env?.outgoing) env.outgoing.once('close', listener);
          else req.raw.signal.addEventListener('abort', listener, { once: true });
        },
        recheck: () => this.#recheck(principal, req.raw),
        end,
      });
    } catch (error) {
      res.body?.cancel().catch(() => {});
      throw error;
    }
  }

  async #principalOf(context: Context<AccessEnv>): Promise<Principal> {
    if (this.#via === 'socket') return socketPrincipal;
    if (this.#authentication)
      return this.#authentication.principal(context.req.raw, this.#addressOf(context) ?? '');
    requireDirect(context);
    return loopbackPrincipal;
  }

  #count(principal: Principal): void {
    if (principal.via !== 'token') return;
    const perMinute = principal.limits?.requestsPerMinute ?? this.#limits.requestsPerMinute;
    const waitMs = this.#rates.take(accountOf(principal), { capacity: perMinute, perMinute });
    if (waitMs === 0) return;
    throw new AccessError(
      429,
      'access/too-many-requests',
      `This token may send ${perMinute} requests a minute.`,
      {
        hint: 'Wait as long as the header "retry-after" says.',
        headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
      },
    );
  }

  #accessOf(context: Context<AccessEnv>, principal: Principal): RequestAccess {
    const { name, via, tenant } = principal;
    const address = this.#addressOf(context);
    const constant = {
      request: context.get('requestId'),
      principal: name,
      via,
      ...(tenant !== undefined && { tenant }),
      ...(address !== undefined && { address }),
    };
    return {
      onError: this.#onError,
      audit: async ({ action, target, outcome, status }) => {
        const what = { action, ...(target !== undefined && { target }), outcome };
        const result = { ...what, ...(status !== undefined && { status }) };
        try {
          await this.#audit({ at: new Date().toISOString(), ...constant, ...result });
        } catch (cause) {
          this.#onError(cause);
          throw unaudited(cause);
        }
      },
    };
  }

  /** Rejects when a token may no longer read. A temporary failure to check tokens does not end streams. */
  async #recheck(before: Principal, request: Request): Promise<void> {
    try {
      const { name, tenant, scopes } = await this.#authentication!.again(request);
      const isSame = name === before.name && tenant === before.tenant;
      if (isSame && before.scopes.every((scope) => scopes.includes(scope))) return;
    } catch (error) {
      if (error instanceof AccessError && error.status === 503) return;
      throw error;
    }
    throw new AccessError(401, 'access/unknown-token', 'The token has lost a scope.');
  }
}

export function connectionAddress({ env }: Context<AccessEnv>): string | undefined {
  return env?.incoming?.socket.remoteAddress;
}

function unaudited(cause: unknown): AccessError {
  return new AccessError(503, 'access/audit', 'The audit log cannot be written.', {
    hint: 'Nothing was changed. Ask the operator of the service to look at its disk.',
    cause,
  });
}

/**
 * In a service without tokens, refuses connections from other computers and requests that a proxy forwards: a proxy on this
 * computer would give everybody full access.
 */
function requireDirect({ req, env }: Context<AccessEnv>): void {
  const address = env?.incoming?.socket.remoteAddress;
  const isLocal = address === undefined || isLoopback(address);
  const forwarding = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];
  if (isLocal && forwarding.every((name) => req.header(name) === undefined)) return;
  throw new AccessError(
    403,
    'access/tokens-needed',
    'Without tokens, this service answers only programs on its own computer, without a proxy.',
    { hint: 'Create a token with "dramaturg token create", and give the service its file.' },
  );
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error.message : String(error), 'AccessWarning');
}

interface Opening {
  /** Streams with the same key are counted together. */
  readonly key: string;
  readonly streamsMax: number;
  /** Registers a listener for the end of the stream. */
  readonly onEnd: (listener: () => void) => void;
  /** Rejects when the principal may no longer read the stream. */
  readonly recheck: () => Promise<void>;
  /** Ends the stream. */
  readonly end: () => void;
}

/** Counts the open streams of each token, and ends those of revoked tokens. */
class Streams {
  readonly #open = new Map<string, number>();
  readonly #recheckMs: number;

  constructor(recheckMs: number) {
    this.#recheckMs = recheckMs;
  }

  /** Counts a stream until it ends. @throws AccessError `access/too-many-streams` */
  open({ key, streamsMax, onEnd, recheck, end }: Opening): void {
    const count = this.#open.get(key) ?? 0;
    if (count >= streamsMax) throw tooMany(streamsMax);
    this.#open.set(key, count + 1);
    const timer = setInterval(() => void recheck().catch(end), this.#recheckMs).unref();
    onEnd(() => {
      clearInterval(timer);
      this.#release(key);
    });
  }

  #release(key: string): void {
    const count = this.#open.get(key)! - 1;
    if (count === 0) this.#open.delete(key);
    else this.#open.set(key, count);
  }
}

function tooMany(streamsMax: number): AccessError {
  return new AccessError(
    429,
    'access/too-many-streams',
    `This token has ${streamsMax} open streams, which is its limit.`,
    {
      hint: 'Close a stream, or follow all instances with one stream.',
      headers: { 'retry-after': '10' },
    },
  );
}

/** The key under which the requests and streams of a principal are counted. */
function accountOf({ tenant, name }: Principal): string {
  return JSON.stringify([tenant ?? null, name]);
}

/** Maximum number of hashes of valid tokens in memory. */
const remembered = 10_000;

/**
 * Authenticates requests by their tokens. An address that sends too many unknown tokens is refused for a while. Tokens that were
 * valid before are still accepted: others behind the same proxy are not locked out.
 */
class Authentication {
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

/** The values that the guard gives to the routes after it. */
export interface AccessEnv {
  /** Absent where a test calls the application without a server. */
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: AccessVariables;
}

export interface AccessVariables {
  readonly principal: Principal;
  /** The id of the request, as in the header `x-request-id` of the response and in the audit log. */
  readonly requestId: string;
  /** The address of the client, in requests for channels. */
  readonly address?: string | undefined;
  readonly access: RequestAccess;
}

/** The guard's functions for a single request. */
interface RequestAccess {
  /** Stores an entry. Rejects with an AccessError `access/audit`. */
  readonly audit: (entry: ActionEntry) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** The part of an entry that the route knows. */
type ActionEntry = Pick<AuditEntry, 'action' | 'outcome'> & {
  readonly target: string | undefined;
  readonly status?: number;
};
