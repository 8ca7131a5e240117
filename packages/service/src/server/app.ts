import { isRecord } from '@dramaturg/compiler';
import { isTurnLong, nextTurn } from '@dramaturg/compiler/machine';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { nearestName } from '@dramaturg/compiler/text';
import { type Answer, type EventFilter, HostError, type HostEvent } from '@dramaturg/host';
import { sseResponse } from '@dramaturg/host/channel';
import {
  feedPositionOf,
  isTraceparent,
  jsonParts,
  lengthBelow,
  positionOf,
} from '@dramaturg/host/engine';
import type { HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import * as z from 'zod';
import { endOfText } from '../access/body.ts';
import type { BodyBytesOf } from '../access/guard.ts';
import type { Actor, Scope } from '../access/principal.ts';
import { actsCsv, csvHeaders } from '../acts-csv.ts';
import { EventRefusedError, problemIn, RequestError } from '../failure.ts';
import { eventsRoute, type OperationName, operations } from '../operations.ts';
import { type Caller, given, type InputOf, type Operation } from '../operations/operation.ts';
import type { ServedOperations } from '../operations/in-process.ts';
import { problem, problemResponse } from '../problem.ts';

/** The values of a request when it reaches its route. */
export interface ServiceEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    /** The operations of the host that the request may use. */
    readonly host: ServedOperations;
    /** Absent if no token is required. */
    readonly identity?: Actor;
    /** The scopes of the sender. */
    readonly scopes: readonly Scope[];
    /** The address of the client, in requests for channels. */
    readonly address?: string | undefined;
  };
}

/** Access control of a service. */
export interface Access {
  /** Sets `host` and `identity` of a request, or refuses it. */
  readonly admit: MiddlewareHandler<ServiceEnv>;
  /** Refuses a request that may not use a route. */
  readonly permit: (scope: Scope, action: string) => MiddlewareHandler<ServiceEnv>;
  /** Checks a request for a channel, which needs no token. */
  readonly admitToChannel: (bodyBytesOf: BodyBytesOf) => MiddlewareHandler<ServiceEnv>;
}

/** Milliseconds between two signs of life while a request is worked on. A client gives up without them. */
const workingIntervalMs = 10_000;

/** The `traceparent` of a request. A malformed one is ignored. Spec: W3C Trace Context, section 4.3 */
function traceparentIn(header: string | undefined): string | undefined {
  return isTraceparent(header) ? header : undefined;
}

/** The largest idempotency key: it may become the id of an instance. */
const longestKey = 200;

/**
 * The routes of a service.
 *
 * @param permit refuses a request whose token does not have the scope of its route
 */
export function routesApp(permit: Access['permit']): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>();
  for (const [name, row] of Object.entries<Operation>(operations)) {
    const { method, path, scope, input, status } = row;
    app.on(method, path, permit(scope, name), async (c) => {
      const { host, identity, scopes } = c.var;
      const request = c.req.raw;
      const value = checked(input, method === 'GET' ? c.req.query() : await bodyOf(request));
      // Together, reading a large body and working with it would block the event loop for too long.
      if (isTurnLong()) await nextTurn();
      if (isCsv(name, value)) return exportStream(actsCsv(host, value), { headers: csvHeaders });
      const run = host[name as OperationName] as (...given: unknown[]) => unknown;
      const id = c.req.param('id');
      // Sends `102 Processing` at intervals while the operation runs.
      const working = setInterval(() => c.env?.outgoing.writeProcessing(), workingIntervalMs);
      try {
        const result = run(...(id === undefined ? [] : [id]), value, {
          signal: request.signal,
          identity,
          scopes,
          idempotencyKey: keyIn(c.req.header('idempotency-key')),
          traceparent: traceparentIn(c.req.header('traceparent')),
        } satisfies Caller);
        if (row.isStream) return await exportStream(result as AsyncIterable<string>);
        const body = bodyFor(await result, row.field) as object;
        if (isTurnLong()) await nextTurn();
        return lengthBelow(longestPart, body) === undefined
          ? await exportStream(partsOf(body), { status })
          : c.json(body, status);
      } finally {
        clearInterval(working);
      }
    });
  }
  app.get(eventsRoute.path, permit(eventsRoute.scope, 'events'), (c) => {
    const filter = checked(eventsRoute.input, c.req.query());
    const after = c.req.header('last-event-id') ?? filter.after;
    return eventStream(c.var.host, given({ ...filter, after }), c.req.raw.signal);
  });
  return app;
}

function isCsv(name: string, value: unknown): value is InputOf<typeof operations.acts.input> {
  return name === 'acts' && (value as { readonly format?: string }).format === 'csv';
}

/**
 * The body of the answer with a result. A repeated message has had its effect before: its sender did not see the first answer.
 *
 * @throws EventRefusedError for another event that was refused
 */
function bodyFor(result: unknown, field: string | undefined): unknown {
  if (field !== undefined) return { [field]: result };
  if (!isRefusal(result) || result.instance === null) return result;
  const { instance, ...answer } = result;
  if (instance !== undefined && answer.code === 'message/repeated')
    return { instance, accepted: true, state: answer.state, repeated: true };
  throw new EventRefusedError(answer, instance);
}

function isRefusal(
  result: unknown,
): result is Answer & { readonly accepted: false; readonly instance?: string | null } {
  return (result as { readonly accepted?: boolean }).accepted === false;
}

/** Answers errors as problems. */
export function withProblems(app: Hono<ServiceEnv>): Hono<ServiceEnv> {
  app.notFound((c) => problemResponse(unknownRoute(app, c.req.method, c.req.path)));
  app.onError((error) => {
    return problemResponse(
      problemIn(error) ??
        problem(500, 'host/failure', `Dramaturg has failed: ${withoutSecrets(error.message)}`),
      headersOf(error),
    );
  });
  return app;
}

function headersOf(error: Error): Readonly<Record<string, string>> {
  if (error instanceof RequestError) return error.headers;
  const retryAfterMs = error instanceof EventRefusedError && error.answer.retryAfterMs;
  return retryAfterMs ? { 'retry-after': `${Math.ceil(retryAfterMs / 1_000)}` } : {};
}

function unknownRoute(app: Hono<ServiceEnv>, method: string, path: string) {
  const what = `${method} ${path}`;
  return problem(404, 'request/unknown', `There is no route ${what}.`, {
    hint: 'GET /openapi.json describes all routes.',
  });
}

function keyIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  // The standard writes the key as a string with quotes.
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (key !== '' && key.length <= longestKey) return key;
  throw new RequestError('request/invalid', 'The header Idempotency-Key is empty or too long.', {
    hint: `Give 1 to ${longestKey} characters.`,
  });
}

/** How many characters of an answer are made together, which takes a few milliseconds. */
const longestPart = 65_536;

/** The JSON of a long answer in parts. */
async function* partsOf(body: object): AsyncGenerator<string> {
  let text = '';
  for (const part of jsonParts(body)) {
    text += part;
    if (text.length < longestPart) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Streams one document in parts. A failure after the first part closes the connection. */
async function exportStream(
  parts: AsyncIterable<string>,
  { status = 200, headers = { 'content-type': 'application/json' } }: ResponseInit = {},
): Promise<Response> {
  const source = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  // The first part is awaited, so that a refusal is answered with its own status.
  const first = await source.next();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (!first.done) controller.enqueue(encoder.encode(first.value));
    },
    async pull(controller) {
      if (isTurnLong()) await nextTurn();
      const next = await source.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await source.return?.();
    },
  });
  return new Response(body, { status, headers });
}

/**
 * Checks the query or the body of a request.
 *
 * @throws RequestError `request/invalid` with the path of each problem
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = parsed(schema, value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const errors = issues
    .slice(0, errorsMax)
    .flatMap((issue) => errorsOf(issue, schema))
    .slice(0, errorsMax);
  const [first] = errors;
  const count = issues.reduce((sum, issue) => sum + ('keys' in issue ? issue.keys.length : 1), 0);
  const rest = count > 1 ? ` There are ${count - 1} more problems.` : '';
  throw new RequestError(
    'request/invalid',
    `The request is not valid${first?.path ? ` at ${first.path}` : ''}: ${first?.detail ?? 'unknown'}${first?.detail.endsWith('?') ? '' : '.'}${rest}`,
    { errors },
  );
}

/** Maximum number of errors in an answer. */
const errorsMax = 100;

type Errors = { path: string; detail: string }[];

function errorsOf(issue: z.core.$ZodIssue, schema: z.ZodType): Errors {
  const path = pointer(issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, errorsMax).map((key) => ({
      path: `${path}${pointer([key])}`,
      detail: `There is no such field${meant(key, issue.path.length === 0 ? schema : undefined)}`,
    }));
  return [{ path, detail: issue.message }];
}

function meant(key: string, schema: z.ZodType | undefined): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const nearest = nearestName(key, known);
  if (nearest !== undefined) return `: did you mean "${nearest}"?`;
  return known.length === 0 ? '' : `; known fields: ${known.join(', ')}`;
}

/** A JSON Pointer. Spec: RFC 6901 */
function pointer(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    // Deeply nested JSON can exceed the stack.
    if (error instanceof RangeError)
      throw new RequestError('request/invalid', 'The request is nested too deeply.');
    throw error;
  }
}

/**
 * Reads the body of a request as JSON. An empty body is `{}`. The guard has already read it, within the limits.
 *
 * @throws RequestError `request/invalid`
 */
export async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text === '') return {};
  if (isTurnLong()) await nextTurn();
  try {
    const value: unknown = JSON.parse(text);
    requireExactIntegers(text);
    return value;
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError('request/invalid', `The body is not JSON: ${(error as Error).message}.`);
  }
}

/** Refuses integers that JavaScript may change silently, such as an id of 18 digits. */
function requireExactIntegers(json: string): void {
  if (!/\d{16}/.test(json)) return;
  for (let at = 0; at < json.length;) {
    const quote = json.indexOf('"', at);
    const end = quote < 0 ? json.length : quote;
    for (const [number] of json.slice(at, end).matchAll(/-?\d[\d.eE+-]*/g))
      if (/^-?\d{16,}$/.test(number) && !Number.isSafeInteger(Number(number)))
        throw new RequestError(
          'request/invalid',
          `The number ${number.slice(0, 40)} would become ${Number(number)}. Send it in quotes: numbers keep 15 digits.`,
        );
    at = quote < 0 ? json.length : endOfText(json, quote) + 1;
  }
}

/**
 * Server-sent events, each with its cursor as the id, so that a client that connects again gets what it has missed. The event
 * `begin` has the first cursor, `problem` says why the stream ends; the event `end` says that the host has stopped.
 */
async function eventStream(
  host: Pick<ServedOperations, 'events' | 'cursor' | 'journal'>,
  filter: EventFilter,
  clientSignal: AbortSignal,
): Promise<Response> {
  const { instance, after } = filter;
  await requireCursor(host, filter);
  // A client that is cut off before the first event continues from this cursor.
  const cursor = after ?? (await host.cursor(given({ instance })));
  return sseResponse(
    (signal) => framesOf(host.events({ ...filter, signal }), cursor),
    clientSignal,
  );
}

/**
 * Checks the cursor before the stream begins: only an error status stops an `EventSource` from connecting again.
 *
 * @throws HostError `host/unknown-cursor`, `host/unknown-instance`
 */
async function requireCursor(
  host: Pick<ServedOperations, 'cursor' | 'journal'>,
  { instance, after }: EventFilter,
): Promise<void> {
  if (after === undefined || after === 'beginning') return;
  if (instance !== undefined) {
    const { lines, at } = positionOf(after);
    const [line] = await host.journal(instance, { from: lines - 1, limit: 1 });
    if (isRecord(line) && JSON.stringify(line['at']) === at) return;
  } else {
    const { feed, position } = feedPositionOf(after);
    const end = await host.cursor({});
    if (end === undefined) return;
    const last = feedPositionOf(end);
    if (feed === last.feed && position <= last.position) return;
  }
  throw new HostError(
    'host/unknown-cursor',
    'The store does not have the event of this cursor: it belongs to another store, or to one that was restored from a backup. Begin with "beginning".',
  );
}

async function* framesOf(
  events: AsyncIterable<HostEvent>,
  cursor: string | undefined,
): AsyncGenerator<string, void> {
  // Sends the head of the response, which waits for the first bytes. Many clients ignore an id without data.
  yield `event: begin\n${idLine(cursor)}data: {}\n\n`;
  try {
    for await (const event of events) yield frameOf(event);
    yield 'event: end\ndata: {}\n\n';
  } catch (error) {
    const failure = problemIn(error) ?? problem(500, 'host/failure', 'The stream has failed.');
    yield `event: problem\ndata: ${JSON.stringify(failure)}\n\n`;
  }
}

function frameOf(event: HostEvent): string {
  return `${idLine(event.cursor)}data: ${JSON.stringify(event)}\n\n`;
}

function idLine(cursor: string | undefined): string {
  return cursor === undefined ? '' : `id: ${cursor}\n`;
}
