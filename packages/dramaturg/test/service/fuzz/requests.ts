import {
  eventsRoute,
  frontEndRoutes,
  type Operation,
  type OperationName,
  operations,
} from '@dramaturg/service';
import fc from 'fast-check';
import * as z from 'zod';
import { type Known, valuesOf } from './schema-values.ts';
import { bodyText, nasty, nastyText, nearly } from './wrong-values.ts';

export type FuzzedRoute = OperationName | 'events' | keyof typeof frontEndRoutes;

/** A request before it is sent. Texts such as `@instance:7` stand for an id that exists at that time. */
export interface FuzzedRequest {
  /** The route that it is made for. */
  readonly route: FuzzedRoute;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Whether method, path and content type are those of the route. */
  readonly isRouted: boolean;
  /** The number of a token, for a service that asks for one. */
  readonly token: number;
}

// A seed chooses routes by their places.
const { export: exporting, ...others } = operations;

/** The routes that requests are made for. */
export const fuzzedRoutes: Readonly<
  Record<FuzzedRoute, Pick<Operation, 'path' | 'scope' | 'input'> & { readonly method: string }>
> = {
  ...others,
  ...frontEndRoutes,
  resume: { ...frontEndRoutes.resume, input: z.strictObject({}) },
  events: { ...eventsRoute, method: 'GET' },
  export: exporting,
};

/** Requests that change the whole store, or read all of it, are rarer. */
const weights: Partial<Record<FuzzedRoute, number>> = {
  start: 12,
  receive: 12,
  send: 10,
  decide: 8,
  get: 4,
  events: 5,
  list: 4,
  erase: 1,
  backup: 1,
  verify: 1,
  status: 1,
  cancel: 2,
  define: 3,
};

function live(kind: string): fc.Arbitrary<string> {
  return fc.nat({ max: 10_000 }).map((number) => `@${kind}:${number}`);
}

const ids = fc.oneof(
  { arbitrary: live('instance'), weight: 6 },
  { arbitrary: nastyText, weight: 1 },
);

const contacts = fc.oneof(
  { arbitrary: fc.nat({ max: 30 }).map((number) => `contact-${number}`), weight: 6 },
  nastyText,
);

/** @param definitions the names of definitions */
function knownFields(definitions: readonly string[], texts: Definitions): Known {
  const names = fc.constantFrom(
    ...definitions,
    ...definitions,
    ...definitions,
    'unknown',
    '__proto__',
  );
  const json = fc.jsonValue({ maxDepth: 2 });
  const event = fc.oneof(
    fc.record({
      type: fc.constantFrom(
        'message.received',
        'manual_send',
        'turn.ended',
        'decision.made',
        'cancel',
        'token.succeeded',
        'pack',
        'xstate.init',
        'xstate.done.actor.x',
        'call.done',
        '*',
        '',
      ),
    }),
    fc.record({ type: fc.constant('message.received'), text: nastyText, id: nastyText }),
    fc.record({ type: fc.constant('decision.made'), id: live('decision'), decision: json }),
  );
  const usually = (right: fc.Arbitrary<unknown>, wrong: fc.Arbitrary<unknown>) =>
    fc.oneof({ arbitrary: right, weight: 9 }, wrong);
  return {
    id: usually(
      fc.uuid(),
      fc.oneof(nastyText, fc.string({ minLength: 1, maxLength: 20 }), live('instance')),
    ),
    definition: names,
    instance: ids,
    needs: usually(
      fc.constant([]),
      fc.array(fc.record({ name: names, text: fc.constantFrom(...texts) }), { maxLength: 3 }),
    ),
    contact: contacts,
    channel: usually(fc.constant('main'), fc.constantFrom('other', '__proto__')),
    event,
    input: usually(fc.constant({}), fc.oneof(json, fc.dictionary(nastyText, json, { maxKeys: 2 }))),
    lifecycleInput: usually(fc.constant({}), fc.dictionary(nastyText, json, { maxKeys: 2 })),
    text: fc.oneof(fc.constantFrom(...texts), nastyText, fc.string()),
    fileName: fc.constantFrom('a.plan.json', 'b.asl.json', '../../etc/passwd', 'c.yaml', '\0'),
    format: fc.constantFrom('asl', 'plan', '__proto__', 'none'),
    options: fc.dictionary(nastyText, json, { maxKeys: 2 }),
    decision: fc.constantFrom('approve', 'reject', '__proto__', 'y'.repeat(20_000)),
    state: fc.constantFrom('ACTIVE', 'COMPLETED', 'PAUSED', '__proto__'),
    after: fc.oneof(live('cursor'), nastyText, live('instance')),
    checkpoint: fc.oneof(live('checkpoint'), nastyText),
    prefix: fc.oneof(live('instance'), nastyText),
    target: fc.oneof(
      fc.nat().map((n) => `@folder/${n}`),
      fc.constant('relative'),
      fc.constant(''),
    ),
    types: fc.constantFrom('message.sent', 'a,b', '__proto__', ',', ''),
    by: fc.constantFrom('ana', 'bob', '', '__proto__'),
  };
}

/** Texts of definitions, right and wrong ones. */
export type Definitions = readonly string[];

/**
 * Requests for all routes: right ones, nearly right ones and wrong ones.
 *
 * @param definitions names of the host's definitions
 * @param texts texts of definitions
 */
export function fuzzedRequests(
  definitions: readonly string[],
  texts: Definitions,
): fc.Arbitrary<FuzzedRequest> {
  const known = knownFields(definitions, texts);
  const names = Object.keys(fuzzedRoutes) as FuzzedRoute[];
  return fc.oneof(
    ...names.map((name) => ({ arbitrary: requestOf(name, known), weight: weights[name] ?? 3 })),
  );
}

/** Once in `times` values. */
function rarely<T>(times: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: times - 1 }, value);
}

export function isOfFrontEnd(route: FuzzedRoute): route is keyof typeof frontEndRoutes {
  return Object.hasOwn(frontEndRoutes, route);
}

function requestOf(route: FuzzedRoute, known: Known): fc.Arbitrary<FuzzedRequest> {
  const { method, path, input } = fuzzedRoutes[route];
  const right = valuesOf(input, known);
  const value = fc.oneof(
    { arbitrary: right, weight: 6 },
    { arbitrary: nearly(right), weight: 5 },
    { arbitrary: nasty, weight: 1 },
  );
  const id = path.startsWith('/decisions/')
    ? fc.oneof({ arbitrary: live('decision'), weight: 4 }, ids)
    : path.startsWith('/definitions/')
      ? fc.oneof(fc.constantFrom('extra-1', 'extra-2'), nastyText)
      : isOfFrontEnd(route)
        ? fc.constantFrom('intake', 'refund', 'unknown', '__proto__')
        : ids;
  return fc
    .record({
      value,
      id,
      contact: contacts,
      trick: rarely(12, tricks),
      raw: rarely(15, rawBodies),
      otherMethod: rarely(25, methods),
      contentType: rarely(25, contentTypes),
      key: rarely(10, headerTexts),
      lastEventId: rarely(4, fc.oneof(live('cursor'), headerTexts)),
      token: fc.nat({ max: 1_000 }),
    })
    .map(
      ({
        value: given,
        id: at,
        contact,
        trick,
        raw,
        otherMethod,
        contentType,
        key,
        lastEventId,
        token,
      }) => {
        const isGet = method === 'GET';
        const straight =
          path.replace(':id', () => encode(at)).replace(':contact', () => encode(contact)) +
          (isGet ? queryOf(given) : '');
        const hasBody = !['GET', 'HEAD'].includes(otherMethod ?? method);
        return {
          route,
          method: otherMethod ?? method,
          path: trick ? trick(straight) : straight,
          isRouted: !trick && !otherMethod && !contentType && !/^\.{0,2}$/.test(at),
          token,
          headers: {
            ...(hasBody && { 'content-type': contentType ?? 'application/json' }),
            ...(key !== undefined && { 'idempotency-key': key }),
            ...(lastEventId !== undefined &&
              route === 'events' && { 'last-event-id': lastEventId }),
          },
          ...(hasBody && { body: raw ?? bodyText(given) }),
        };
      },
    );
}

const methods = fc.constantFrom(
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'HEAD',
  'QUERY',
);

const contentTypes = fc.constantFrom(
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data',
  '',
  'a'.repeat(500),
  'application/x-www-form-urlencoded',
  'application/json;charset=utf-8',
  'APPLICATION/JSON',
);

/** Characters that a header may have. */
const headerTexts = fc.oneof(
  fc.string({ maxLength: 30 }).map((text) => text.trim()),
  fc.constantFrom('', '""', '"', 'é', 'a'.repeat(201), '__proto__', 'beginning', '0', '-1', '1e9'),
);

const rawBodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom('', '{', '{"a":', 'null', '[]', '"a"', '\uFEFF{}', 'NaN', '1e999', '{}{}', ' '),
  fc.constantFrom(
    '['.repeat(100_000),
    `{"contact":"a","text":"${'x'.repeat(999_000)}"}`,
    ' '.repeat(1_000_001),
  ),
  fc.constant(Uint8Array.of(0x22, 0xff, 0xfe, 0x22)),
);

/** Changes of a path. */
const tricks: fc.Arbitrary<(path: string) => string> = fc.constantFrom(
  (path: string) => `/${path}`,
  (path: string) => path.replaceAll('/', '//'),
  (path: string) => `/%2e%2e${path}`,
  (path: string) => `/x/..${path}`,
  (path: string) => `/./x/%2E%2e/..${path}`,
  (path: string) => path.replace(/\/([^/]*)$/, '%2F$1'),
  (path: string) => path.replace('?', '/?').replace(/([^?])$/, '$1/'),
  (path: string) => `${path}%`,
  (path: string) => `${path}%00`,
  (path: string) => `${path}%C0%AF`,
  (path: string) => `${path}?${'a=1&'.repeat(1_000)}`,
  (path: string) => `${path}?__proto__=1&limit=1&limit=2`,
  (path: string) => `${path}#fragment`,
  (path: string) => path.toUpperCase(),
  (path: string) => `${path};a=b`,
  (path: string) => `http://other.example${path}`,
  (path: string) => path.slice(1),
  (path: string) => path.replace('/', '\\'),
  () => '*',
  () => '//',
  () => '/instances/%2e%2e%2fdefinitions',
  () => '/instances/%F0%9F/transcript',
);

function queryOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `?${encode(JSON.stringify(value))}`;
  const fields = Object.entries(value).map(
    ([name, field]) =>
      `${encode(name)}=${encode(typeof field === 'string' ? field : bodyText(field).slice(0, 2_000))}`,
  );
  return fields.length === 0 ? '' : `?${fields.join('&').slice(0, 12_000)}`;
}

/** Lone surrogates cannot be percent-encoded. The beginning of a mark stays readable. */
function encode(text: string): string {
  const percent = encodeURIComponent(Buffer.from(text).toString()).slice(0, 8_000);
  return percent.replace(/%[^%]?$/, '').replace(/^%40(\w+)%3A(\d+)$/, '@$1:$2');
}
