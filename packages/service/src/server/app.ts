import { isTraceparent } from '@dramaturg/host/engine';
import type { Answer } from '@dramaturg/host';
import type { HttpBindings } from '@hono/node-server';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { Hono, type MiddlewareHandler } from 'hono';
import type { Actor } from '../access/principal.ts';
import type { Scope } from '../access/scopes.ts';
import { EventRefusedError, problemIn, RequestError } from '../failure.ts';
import { eventsRoute, type OperationName, operations } from '../operations.ts';
import { given } from '../operations/given.ts';
import type { ServedOperations } from '../operations/in-process.ts';
import type { Caller, InputOf, Operation } from '../operations/operation.ts';
import { problem, problemResponse } from '../problem.ts';
import { actsCsv, csvHeaders } from '../acts-csv.ts';
import { eventStream } from './event-stream.ts';
import { exportStream } from './export-stream.ts';
import { bodyOf, checked } from './read-input.ts';

/** What is known about a request when it reaches its route. */
export interface ServiceEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    /** The operations of the host that the request may use. */
    readonly host: ServedOperations;
    /** Absent where no token is asked for. */
    readonly identity?: Actor;
    /** What the sender may do. */
    readonly scopes: readonly Scope[];
    /** The address of the client, in requests for channels. */
    readonly address?: string | undefined;
  };
}

/** Who may do what. */
export interface Access {
  /** Sets `host` and `identity` of a request, or refuses it. */
  readonly admit: MiddlewareHandler<ServiceEnv>;
  /** Refuses a request that may not use a route. */
  readonly permit: (scope: Scope, action: string) => MiddlewareHandler<ServiceEnv>;
  /** Checks a request for a channel, which needs no token. */
  readonly admitToChannel: MiddlewareHandler<ServiceEnv>;
}

/** Milliseconds between two signs of life while a request is worked on. A client gives up without them. */
const workingIntervalMs = 10_000;

/** A wrong one counts as none. Spec: W3C Trace Context, section 4.3 */
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
      if (isCsv(name, value)) return exportStream(actsCsv(host, value), csvHeaders);
      const run = host[name as OperationName] as (...given: unknown[]) => unknown;
      const id = c.req.param('id');
      const call = () =>
        run(...(id === undefined ? [] : [id]), value, {
          signal: request.signal,
          identity,
          scopes,
          idempotencyKey: keyIn(c.req.header('idempotency-key')),
          traceparent: traceparentIn(c.req.header('traceparent')),
        } satisfies Caller);
      if (row.isStream) return exportStream(call() as AsyncIterable<string>);
      const result = await whileWorking(c.env, async () => call());
      return c.json(bodyFor(result, row.field) as object, status);
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
 * The body that a result is sent as. A repeated message has had its effect before: its sender has not seen the first answer.
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

/** Sends `102 Processing` now and then. */
async function whileWorking<Value>(
  env: HttpBindings | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  const working = setInterval(() => env?.outgoing.writeProcessing(), workingIntervalMs);
  try {
    return await work();
  } finally {
    clearInterval(working);
  }
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
