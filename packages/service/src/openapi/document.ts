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
    at[method.toLowerCase()] = {
      operationId: name,
      summary,
      tags: [tagOf(path)],
      security: [{ token: [scope] }],
      parameters: [
        ...pathParameters(path),
        ...(isQuery ? queryParameters(input) : []),
        ...(row.hasKey ? [idempotencyKey] : []),
      ],
      ...(isQuery ? {} : { requestBody: { required: true, content: json(inputSchema(input)) } }),
      responses: {
        [status]: {
          description: row.isStream ? 'The document' : 'Done',
          content: json(outputSchema(output)),
        },
        default: problemAnswer,
      },
    };
  }
  paths[eventsRoute.path] = {
    get: {
      operationId: 'events',
      summary:
        'Streams events. A stream that is opened again with Last-Event-ID misses none and repeats none',
      tags: ['events'],
      security: [{ token: [eventsRoute.scope] }],
      parameters: [
        ...queryParameters(eventsRoute.input),
        { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } },
      ],
      responses: {
        200: {
          description: 'Server-sent events; the data of each is a HostEvent',
          content: { [eventStreamType]: { schema: outputSchema(wire.hostEvent) } },
        },
        default: problemAnswer,
      },
    },
  };
  for (const [name, route] of Object.entries(frontEndRoutes))
    paths[inBraces(route.path)] = {
      [route.method.toLowerCase()]: {
        operationId: name,
        summary: route.summary,
        tags: ['front ends'],
        security: [{ token: [route.scope] }],
        parameters: pathParameters(route.path),
        ...('input' in route && {
          requestBody: { required: true, content: json(inputSchema(route.input)) },
        }),
        responses: {
          200: {
            description: 'Server-sent events of the protocol',
            content: { [eventStreamType]: { schema: {} } },
          },
          default: problemAnswer,
        },
      },
    };
  for (const [path, summary] of Object.entries(health))
    paths[path] = {
      get: {
        operationId: path.slice(1),
        summary,
        tags: ['health'],
        responses: {
          200: { description: 'It does', content: json({ type: 'object' }) },
          default: problemAnswer,
        },
      },
    };
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
