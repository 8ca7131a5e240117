import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AccessLimits,
  auditFile,
  type AuditFile,
  type Authenticate,
  type ChannelsOf,
  guardedAccess,
  type GuardOptions,
  loopbackNotice,
  readTokens,
  requireLoopback,
  serverOf,
  serviceApp,
  type ServiceEnv,
  type ServiceOptions,
  waitingApp,
} from '@dramaturg/service';
import { RequestError } from '@dramaturg/service/client';
import type { Hono } from 'hono';
import { listenIn, stopListening } from '../cli/host/gateway/socket.ts';
import type { LocalHost } from './local-host.ts';

/** How a host is served. Spec: docs/service.md, docs/access.md */
export interface ServeOptions {
  /** The address for HTTP: `127.0.0.1:8080`, or a port of this machine. Port 0 is any free one. */
  readonly http?: string | undefined;
  /**
   * The URL under which other machines reach the service, such as `https://api.example.com`. Commands on a store in Postgres use it when
   * the host is on another machine.
   */
  readonly publicUrl?: string | undefined;
  /** The file of the tokens, or a function that finds the identity of a token. Without it, HTTP is for this computer only. */
  readonly tokens?: string | Authenticate | undefined;
  /** The file of the audit log. */
  readonly audit?: string | undefined;
  /** Names under which clients reach the service, besides its addresses. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of pages elsewhere that may call the service: `https://desk.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly limits?: Partial<AccessLimits> | undefined;
  /** Receives errors of the tokens file and of the audit log. They are warnings of the process when left out. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The address of a client, for the audit log and the limits. Default: that of its connection, which can be a proxy's. */
  readonly addressOf?: GuardOptions['addressOf'] | undefined;
  /** Also serves the page of operators under `/desk`. It needs `http`. See docs/desk.md */
  readonly desk?: boolean | undefined;
  /** Adds routes of your own, behind the same checks. */
  readonly mount?: ServiceOptions['mount'] | undefined;
}

/** A service that listens. */
export interface Service {
  /** The URL, such as `http://127.0.0.1:8080`, with `http`. */
  readonly url?: string | undefined;
  /** A notice for the person who starts the service: without tokens, every program on this computer may do everything. */
  readonly notice?: string | undefined;
  /** `/readyz` answers 503 from now on, so that load balancers send requests elsewhere. Requests are still answered. */
  readonly drain: () => void;
  /** Accepts no more requests. Running answers are completed; streams end when the host stops. */
  readonly close: () => void;
  /** Ends all connections and the audit log. Running answers get one more second. */
  readonly end: () => Promise<void>;
}

interface StoreSocket {
  readonly server: Server;
  app: Hono<ServiceEnv>;
}

/** Milliseconds that running answers get after the host has stopped. */
const lastAnswersMs = 1_000;

/**
 * Serves hosts on the socket of their store and over HTTP. States: waiting (HTTP answers 503, until `serve`), serving, again waiting
 * (after `suspend`), closed, ended.
 */
export class RunningService implements Service {
  readonly url: string | undefined;
  readonly notice: string | undefined;
  readonly #options: ServeOptions;
  readonly #guard: GuardOptions;
  readonly #audit: AuditFile | undefined;
  readonly #http: { readonly server: Server; app: ReturnType<typeof serviceApp> } | undefined;
  /** The sockets that listen, by store. */
  readonly #sockets = new Map<string, StoreSocket>();
  readonly #servers: Server[] = [];
  readonly #mountDesk: MountDesk | undefined;
  #isDraining = false;
  /** Aborted when the present host is no longer served. */
  #serving = new AbortController();

  private constructor(
    options: ServeOptions,
    guard: GuardOptions,
    audit: AuditFile | undefined,
    http: { readonly server: Server; readonly app: ReturnType<typeof serviceApp> } | undefined,
    url: string | undefined,
    mountDesk: MountDesk | undefined,
  ) {
    this.#options = options;
    this.#guard = guard;
    this.#audit = audit;
    this.#http = http;
    this.url = url;
    this.#mountDesk = mountDesk;
    if (http) this.#servers.push(http.server);
    this.notice = url !== undefined && options.tokens === undefined ? loopbackNotice : undefined;
  }

  /**
   * Listens for HTTP, if the options say where.
   *
   * @throws RequestError when it cannot listen, or when the tokens are not readable
   */
  static async listen(options: ServeOptions): Promise<RunningService> {
    const { http, tokens, onError } = options;
    requirePublicUrl(options.publicUrl);
    if (options.desk && http === undefined) throw deskWithoutHttp();
    const address = http === undefined ? undefined : addressOf(http);
    if (address !== undefined && tokens === undefined) requireLoopback(address.hostname);
    const authenticate =
      typeof tokens === 'string' ? await readTokens(tokens, onError && { onError }) : tokens;
    const mountDesk = options.desk ? await deskPage() : undefined;
    const audit = options.audit === undefined ? undefined : await auditFile(options.audit);
    const { allowedHosts, allowedOrigins, limits, addressOf: clientOf } = options;
    const guard = {
      allowedHosts,
      allowedOrigins,
      limits,
      onError,
      addressOf: clientOf,
      authenticate,
      onAudit: audit?.append,
    };
    if (address === undefined)
      return new RunningService(options, guard, audit, undefined, undefined, undefined);
    const answering = { app: waitingApp() };
    const server = serverOf(() => answering.app);
    try {
      const url = await listenOn(server, address);
      const listening = Object.assign(answering, { server });
      return new RunningService(options, guard, audit, listening, url, mountDesk);
    } catch (error) {
      await audit?.close();
      throw error;
    }
  }

  /**
   * Serves a host, or the hosts of tenants by their names.
   *
   * @throws the error of the system when the socket of the store cannot be opened
   */
  async serve(served: LocalHost | ReadonlyMap<string, LocalHost>): Promise<void> {
    const { mount, publicUrl } = this.#options;
    this.#serving = new AbortController();
    const ended = this.#serving.signal;
    const hosts: readonly LocalHost[] = 'host' in served ? [served] : [...served.values()];
    const ready = async () => {
      if (this.#isDraining) throw stopping();
      await Promise.all(hosts.map(({ host }) => host.ready()));
      const counts = await Promise.all(hosts.map(async ({ host }) => host.queues()));
      const setAside = counts.reduce((sum, queues) => sum + queues.setAside, 0);
      return setAside > 0 ? { setAside } : {};
    };
    const app = (host: typeof served, guard: GuardOptions, channels?: ChannelsOf) =>
      serviceApp({
        access: guardedAccess(host, guard),
        ready,
        channels,
        ...(mount && { mount }),
        ended,
        ...(guard.via !== 'socket' && this.#mountDesk && { mountPublic: this.#mountDesk }),
      });
    for (const host of hosts) {
      if (host.store === undefined) continue;
      // Only the user who runs this process can open the socket.
      const local = app(host, { ...this.#guard, authenticate: undefined, via: 'socket' });
      const socket = this.#sockets.get(host.store);
      if (socket) socket.app = local;
      else {
        const opened: StoreSocket = { server: serverOf(() => opened.app), app: local };
        await listenIn(host.store, opened.server);
        this.#sockets.set(host.store, opened);
        this.#servers.push(opened.server);
      }
    }
    const channelsOf: ChannelsOf = (tenant) =>
      'host' in served
        ? tenant === undefined
          ? served.channelHandlers
          : undefined
        : served.get(tenant ?? '')?.channelHandlers;
    if (this.#http) this.#http.app = app(served, this.#guard, channelsOf);
    if (publicUrl !== undefined)
      await Promise.all(hosts.map(({ host }) => host.announce(publicUrl)));
  }

  /** Called when the host has stopped. Requests are answered with 503 until another host is served. */
  suspend(): void {
    if (this.#http) this.#http.app = waitingApp();
    this.closeSockets();
    this.#serving.abort();
  }

  /** Closes the socket of a store before its host stops: another host may take the store. Without a store, all of them. */
  closeSockets(...stores: readonly string[]): void {
    for (const store of stores.length > 0 ? stores : this.#sockets.keys()) {
      const socket = this.#sockets.get(store);
      if (socket) stopListening(store, socket.server);
      this.#sockets.delete(store);
    }
  }

  readonly drain = () => {
    this.#isDraining = true;
  };

  readonly close = () => {
    this.closeSockets();
    this.#http?.server.close();
    this.#http?.server.closeIdleConnections();
  };

  /** Drains for a time, then closes. */
  async leave(drainMs = 0): Promise<void> {
    this.drain();
    await pause(drainMs);
    this.close();
  }

  readonly end = async () => {
    this.close();
    this.#serving.abort();
    const servers = this.#servers;
    const idling = setInterval(() => {
      for (const server of servers) server.closeIdleConnections();
    }, 10);
    const late = pause(lastAnswersMs, undefined, { ref: false });
    await Promise.race([Promise.all(servers.map(connectionsEnd)), late]);
    clearInterval(idling);
    for (const server of servers) server.closeAllConnections();
    await this.#audit?.close();
  };
}

/** Resolves when a server that no longer listens has no connections. */
function connectionsEnd(server: Server): Promise<void> {
  // When another process has taken the file of the socket, the server cannot be closed.
  if (server.listening) return Promise.resolve();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** @throws RequestError */
function requirePublicUrl(given: string | undefined): void {
  if (given === undefined || (/^https?:\/\//.test(given) && URL.canParse(given))) return;
  throw new RequestError('service/bad-address', `"${given}" is not the URL of a service.`, {
    hint: 'Write it with its protocol, such as https://api.example.com.',
  });
}

function deskWithoutHttp(): RequestError {
  return new RequestError('service/bad-address', 'The desk is a page, so it needs HTTP.', {
    hint: "Add an address to listen on: { http: '127.0.0.1:8080', desk: true }.",
  });
}

function stopping(): RequestError {
  return new RequestError('host/stopping', 'The service stops soon.', { status: 503 });
}

type MountDesk = (app: Hono<ServiceEnv>) => void;

/** The page loads nothing from elsewhere, and no other page can frame it. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Names of assets contain a hash of their content. All other files may change with an update. */
const [immutable, renewed] = ['public, max-age=31536000, immutable', 'no-cache'];

/**
 * Reads the page of operators. Its files are the same for everybody: the page asks for the token, and sends it with its requests.
 *
 * @returns a function that adds the page to a service
 */
async function deskPage(): Promise<MountDesk> {
  const { readDesk } = await import('@dramaturg/desk');
  const files = await readDesk();
  const index = files.get('index.html')!;
  return (app) => {
    app.get('/desk/:path{.*}?', (c, next) => {
      const path = c.req.param('path') ?? '';
      // An address inside the page, such as /desk/conversations/intake-1, is the page itself.
      const file = files.get(path) ?? (path.startsWith('assets/') ? undefined : index);
      if (file === undefined) return next();
      return c.body(file.body, 200, {
        ...headers,
        'content-type': file.type,
        'cache-control': file.isImmutable ? immutable : renewed,
      });
    });
  };
}

/** Where a server listens for HTTP. */
interface HttpAddress {
  readonly hostname: string;
  readonly port: number;
}

/**
 * Reads an address such as `127.0.0.1:8080`, `[::1]:8080` or `8080`, which is a port of this machine alone.
 *
 * @throws RequestError when it is not an address
 */
function addressOf(given: string): HttpAddress {
  const {
    hostname = '127.0.0.1',
    six,
    port,
  } = /^(?:(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<hostname>[^:[\]/\s]+)):)?(?<port>\d{1,5})$/.exec(given)
    ?.groups ?? {};
  if (port !== undefined && Number(port) < 65_536)
    return { hostname: six ?? hostname, port: Number(port) };
  throw new RequestError('service/bad-address', `"${given}" is not an address to listen on.`, {
    hint: 'Write a host and a port, such as 127.0.0.1:8080.',
  });
}

/**
 * Listens for HTTP.
 *
 * @returns the URL of the server
 * @throws RequestError `service/address-in-use`, `service/bad-address`
 */
async function listenOn(server: Server, { hostname, port }: HttpAddress): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(explained(error, hostname, port)),
    );
    server.listen({ host: hostname, port }, resolve);
  });
  server.removeAllListeners('error');
  const { port: actual } = server.address() as AddressInfo;
  return `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${actual}`;
}

function explained(error: NodeJS.ErrnoException, hostname: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new RequestError(
      'service/address-in-use',
      `Port ${port} of ${hostname} is in use by another program.`,
      { hint: 'Choose another port, or 0 for any free one.' },
    );
  if (['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''))
    return new RequestError(
      'service/bad-address',
      `This process cannot listen on ${hostname}:${port} (${error.code}).`,
      { hint: 'Name an address of this machine, such as 127.0.0.1:8080, and a port from 1024.' },
    );
  return error;
}
