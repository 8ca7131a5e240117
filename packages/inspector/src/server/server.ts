import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Exhibit, SendOrder } from './exhibit.ts';
import { RunWriter } from './run-writer.ts';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface InspectorServerOptions {
  /** By default a free port. */
  readonly port?: number;
}

export interface InspectorServer {
  /** The address of the page, with the token. Anyone with the address can see everything. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves the inspector's page to the person at this computer only: on the loopback interface, with a random token, to its
 * own origin, and under its own host name, which stops DNS rebinding.
 */
export async function serveInspector(
  exhibit: Exhibit,
  { port = 0 }: InspectorServerOptions = {},
): Promise<InspectorServer> {
  const page = await readPage();
  const token = randomBytes(24).toString('base64url');
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
  server.maxConnections = 64;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const access = new AccessCheck(own, token);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {});
    answer(request, response, { exhibit, page, access: access }).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      reply(response, 500, { error: message });
    });
  });
  return { url: `http://127.0.0.1:${own}/?token=${token}`, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  if (server.listening) await once(server, 'close');
}

/** Decides which requests are accepted. */
class AccessCheck {
  readonly #hosts: readonly string[];
  readonly #token: Buffer;
  /** All ports of a host share cookies, so the cookie's name contains the port. */
  readonly #cookie: string;

  constructor(port: number, token: string) {
    this.#hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    this.#token = Buffer.from(token);
    this.#cookie = `dramaturg-inspector-${port}`;
  }

  /** Why a request is refused; undefined if it is accepted. */
  refusal({ headers }: IncomingMessage, url: URL): string | undefined {
    if (!this.#hosts.includes(headers.host ?? ''))
      return 'This server answers only under its own address.';
    const { origin } = headers;
    if (origin !== undefined && !this.#hosts.some((host) => origin === `http://${host}`))
      return 'Pages of another origin are refused.';
    const given = [
      url.searchParams.get('token'),
      /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1],
      cookieIn(headers.cookie, this.#cookie),
    ];
    if (given.some((each) => each !== null && each !== undefined && this.#isToken(each)))
      return undefined;
    return 'The token is missing or wrong. Open the address that the command printed.';
  }

  /** The cookie that replaces the token in the address. */
  get cookie(): string {
    return `${this.#cookie}=${this.#token.toString()}; HttpOnly; SameSite=Strict; Path=/`;
  }

  #isToken(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.#token.length && timingSafeEqual(bytes, this.#token);
  }
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  return header
    ?.split(/; */)
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

interface Served {
  readonly exhibit: Exhibit;
  readonly page: Page;
  readonly access: AccessCheck;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { exhibit, page, access: door }: Served,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://inspector');
  for (const [name, value] of Object.entries(protections)) response.setHeader(name, value);
  const refusal = door.refusal(request, url);
  if (refusal !== undefined) return reply(response, 403, { error: refusal });
  const { pathname } = url;
  const run = /^\/api\/runs\/([^/]+)\/(recording|send|fork)$/.exec(pathname);
  const route = `${request.method} ${run ? run[2] : pathname}`;
  const id = run ? decoded(run[1]!) : undefined;
  if (run && id === undefined) return reply(response, 400, { error: 'The id is not valid.' });
  switch (route) {
    case 'GET /api/exhibit': {
      const { title, allowsSending, fork } = exhibit;
      return reply(response, 200, {
        title,
        allowsSending,
        allowsForks: Boolean(fork) && allowsSending,
      });
    }
    case 'GET /api/runs':
      return reply(response, 200, { runs: await exhibit.runs() });
    case 'GET recording':
      return stream(response, exhibit, id!, stepIn(url));
    case 'POST send':
    case 'POST fork':
      return change(request, response, { exhibit, id: id!, isFork: route === 'POST fork' });
    case 'GET /':
      response.setHeader('set-cookie', door.cookie);
  }
  const file =
    request.method === 'GET' ? page.get(pathname === '/' ? '/index.html' : pathname) : undefined;
  if (!file) return reply(response, 404, { error: 'Not found.' });
  response.writeHead(200, { 'content-type': file.type });
  response.end(file.body);
}

/** The page has its own script and style, and sends requests only to this server. */
const protections: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function stepIn(url: URL): number | undefined {
  const step = Number(url.searchParams.get('until') ?? Number.NaN);
  return Number.isSafeInteger(step) && step > 0 ? step : undefined;
}

/** Streams a line of JSON for each message until the client disconnects. */
async function stream(
  response: ServerResponse,
  exhibit: Exhibit,
  id: string,
  until: number | undefined,
): Promise<void> {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  const writer = new RunWriter(response);
  try {
    await exhibit.follow(id, (message) => writer.push(message), leaving.signal, until);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!response.headersSent) return reply(response, 404, { error: message });
    writer.push({ kind: 'status', live: false, because: message });
  }
  await writer.end();
}

async function change(
  request: IncomingMessage,
  response: ServerResponse,
  {
    exhibit,
    id,
    isFork,
  }: { readonly exhibit: Exhibit; readonly id: string; readonly isFork: boolean },
): Promise<void> {
  if (!exhibit.allowsSending) {
    const error = 'This inspector is read-only. Start it with --allow-send to send events.';
    return reply(response, 403, { error });
  }
  // A form of another page cannot send this content type without a preflight request.
  if (!request.headers['content-type']?.startsWith('application/json'))
    return reply(response, 415, { error: 'Send JSON with the content type application/json.' });
  const body = await bodyOf(request);
  if (isFork) {
    const { step } = Object(body) as { readonly step?: unknown };
    if (!exhibit.fork || !Number.isSafeInteger(step) || (step as number) < 1)
      return reply(response, 400, { error: 'A fork needs the number of a step, from 1.' });
    try {
      return reply(response, 201, await exhibit.fork(id, step as number));
    } catch (error) {
      return reply(response, 409, {
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }
  const { event, sessionId } = Object(body) as Partial<SendOrder>;
  if (typeof event?.type !== 'string' || event.type === '')
    return reply(response, 400, { error: 'An event is a JSON object with a "type".' });
  const order = { event, ...(typeof sessionId === 'string' ? { sessionId } : {}) };
  const because = await exhibit.send(id, order);
  if (because === undefined) reply(response, 200, {});
  else reply(response, 409, { error: because });
}

/** The maximum size of a request body in bytes. */
const largestBody = 1_000_000;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    // A body that is too large is read to its end and discarded, because clients do not read a response while they send.
    if (size <= largestBody) chunks.push(chunk as Buffer);
  }
  if (size > largestBody) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

/** The files of the page, by request path. No other file is served. */
type Page = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Reads the built page.
 *
 * @throws Error when the page has not been built
 */
async function readPage(): Promise<Page> {
  // The path is the same from the sources and from dist.
  const folder = fileURLToPath(new URL('../../dist/page/', import.meta.url));
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch (cause) {
    throw new Error('The page of the inspector has not been built: npm run build.', { cause });
  }
  const files = names.filter((name) => Object.hasOwn(types, extname(name)));
  return new Map(
    await Promise.all(
      files.map(async (name): Promise<[string, PageFile]> => [
        `/${name.split(sep).join('/')}`,
        { type: types[extname(name)]!, body: await readFile(join(folder, name)) },
      ]),
    ),
  );
}
