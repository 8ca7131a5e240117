import * as z from 'zod';
import { frontEndRoutes } from '../front-ends/routes.ts';
import { problemSchema, problemType } from '../problem.ts';
import { eventsRoute, operations } from '../operations.ts';
import type { Operation } from '../operations/operation.ts';
import { eventStreamType } from '@dramaturg/host/channel';
import { wire } from '../wire/wire.ts';

type Schema = Readonly<Record<string, unknown>>;

let document: object | undefined;

/** Describes all routes by the schemas that check them. Spec: OpenAPI 3.1.1 */
export function openApi(): object {
  return (document ??= describe());
}

function describe(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, row] of Object.entries<Operation>(operations)) {
    const { method, path, scope, summary, input, output, status } = row;
    const at = (paths[inBraces(path)] ??= {});
    const isQuery = method === 'GET';
    at[method.toLowerCase()] = routeOf({
      name,
      summary,
      tag: tagOf(path),
      scope,
      parameters: [
        ...pathParameters(path),
        ...(isQuery ? queryParameters(input) : []),
        ...(row.hasKey ? [idempotencyKey] : []),
      ],
      input: isQuery ? undefined : input,
      status,
      answer: row.isStream ? 'The document' : 'Done',
      content: json(outputSchema(output)),
    });
  }
  paths[eventsRoute.path] = {
    get: routeOf({
      name: 'events',
      summary:
        'Streams events. A stream that is opened again with Last-Event-ID misses none and repeats none',
      tag: 'events',
      scope: eventsRoute.scope,
      parameters: [
        ...queryParameters(eventsRoute.input),
        { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } },
      ],
      answer: 'Server-sent events; the data of each is a HostEvent',
      content: { [eventStreamType]: { schema: outputSchema(wire.hostEvent) } },
    }),
  };
  for (const [name, route] of Object.entries(frontEndRoutes))
    paths[inBraces(route.path)] = {
      [route.method.toLowerCase()]: routeOf({
        name,
        summary: route.summary,
        tag: 'front ends',
        scope: route.scope,
        parameters: pathParameters(route.path),
        input: 'input' in route ? route.input : undefined,
        answer: 'Server-sent events of the protocol',
        content: { [eventStreamType]: { schema: {} } },
      }),
    };
  for (const [path, summary] of Object.entries(health)) {
    const name = path.slice(1);
    const content = json({ type: 'object' });
    paths[path] = { get: routeOf({ name, summary, tag: 'health', answer: 'It does', content }) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Dramaturg', version: '0.1.0', license: { name: 'MIT', identifier: 'MIT' } },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: outputSchema(problemSchema) },
    },
  };
}

interface Route {
  readonly name: string;
  readonly summary: string;
  readonly tag: string;
  /** Absent when the route needs no token. */
  readonly scope?: string;
  readonly parameters?: readonly object[];
  readonly input?: z.ZodType | undefined;
  readonly status?: number;
  readonly answer: string;
  readonly content: object;
}

function routeOf({ name, summary, tag, scope, parameters, input, ...route }: Route): object {
  const { status = 200, answer: description, content } = route;
  return {
    operationId: name,
    summary,
    tags: [tag],
    ...(scope && { security: [{ token: [scope] }] }),
    ...(parameters && { parameters }),
    ...(input && { requestBody: { required: true, content: json(inputSchema(input)) } }),
    responses: { [status]: { description, content }, default: problemAnswer },
  };
}

const problemAnswer = {
  description: 'The request is refused, or the host has failed',
  content: { [problemType]: { schema: { $ref: '#/components/schemas/Problem' } } },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes it safe to repeat the request when its answer was lost',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

function tagOf(path: string): string {
  return path.split('/')[1] ?? '';
}

const health = {
  '/healthz': 'Whether the process works',
  '/readyz': 'Whether the host carries out commands',
};

function inBraces(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function pathParameters(path: string): object[] {
  return Array.from(path.matchAll(/:(\w+)/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(input: z.ZodType): object[] {
  const { properties = {}, required = [] } = inputSchema(input) as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function json(schema: Schema): object {
  return { 'application/json': { schema } };
}

function inputSchema(schema: z.ZodType): Schema {
  return jsonSchema(schema, 'input');
}

function outputSchema(schema: z.ZodType): Schema {
  return jsonSchema(schema, 'output');
}

/** Zod cannot describe values that it does not check: their schema allows any JSON. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const {
    $schema: _,
    $defs,
    ...described
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return $defs === undefined ? described : (withoutJson(described) as Schema);
}

/** The only recursive schema is that of any JSON value. */
function withoutJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutJson);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return {};
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutJson(each)]));
}
