import type { z } from 'zod';
import type { Scope } from './access/scopes.ts';
import { wire } from './wire/wire.ts';

/**
 * The routes of a service, for server, client and OpenAPI. `input` is the query of a GET and the JSON body of the others.
 * Spec: docs/service.md#requests
 */
export const routes = {
  status: get('/status', 'read', 'What the host has and does', wire.nothing, wire.status),
  me: get('/me', 'read', 'The name and the scopes of the token', wire.nothing, wire.me),
  queues: get('/queues', 'read', 'Counts what waits for people', wire.nothing, wire.queues),
  inbox: get('/inbox', 'read', 'Lists what waits for people', wire.desk.inbox, wire.inbox),
  acts: get('/acts', 'read', 'Lists what people have done', wire.desk.acts, wire.acts),
  definitions: get('/definitions', 'read', 'Lists definitions', wire.nothing, wire.definitions),
  check: post('/check', 'define', 'Checks a definition', wire.definitionFile, wire.checked),
  define: {
    ...post(
      '/definitions/:id',
      'define',
      'Adds a definition',
      wire.definitionText,
      wire.definitionSummary,
    ),
    method: 'PUT',
  },
  list: get('/instances', 'read', 'Lists instances', wire.filter, wire.summaries),
  find: get('/ids', 'read', 'Finds instances by the beginning of an id', wire.like, wire.summaries),
  get: get('/instances/:id', 'read', 'An instance', wire.nothing, wire.view),
  items: get('/instances/:id/items', 'read', 'The items of Maps', wire.itemFilter, wire.items),
  transcript: get(
    '/instances/:id/transcript',
    'read',
    'The transcript',
    wire.range,
    wire.transcript,
  ),
  journal: get('/instances/:id/journal', 'read', 'The journal', wire.range, wire.lines),
  charts: get(
    '/instances/:id/charts',
    'read',
    'The charts that it runs',
    wire.nothing,
    wire.charts,
  ),
  checkpoints: get(
    '/instances/:id/checkpoints',
    'read',
    'Save points',
    wire.nothing,
    wire.checkpoints,
  ),
  decisions: get('/decisions', 'read', 'Lists open decisions', wire.decisionFilter, wire.decisions),
  decision: get('/decisions/:id', 'read', 'A decision with its data', wire.nothing, wire.decision),
  decide: post('/decisions/:id', 'operate', 'Decides', wire.decided, wire.accepted),
  start: post('/instances', 'converse', 'Starts an instance', wire.order, wire.started, 201),
  receive: post(
    '/messages',
    'converse',
    'Receives a message of a contact',
    wire.message,
    wire.routed,
  ),
  send: post('/instances/:id/send', 'operate', 'Sends an event', wire.event, wire.accepted),
  pause: post('/instances/:id/pause', 'operate', 'Pauses', wire.desk.act, wire.accepted),
  resume: post('/instances/:id/resume', 'operate', 'Resumes', wire.desk.act, wire.accepted),
  cancel: post(
    '/instances/:id/cancel',
    'operate',
    'Ends an instance',
    wire.desk.cancel,
    wire.accepted,
  ),
  intervene: post(
    '/instances/:id/intervene',
    'operate',
    'Writes to the contact by hand',
    wire.desk.intervene,
    wire.accepted,
  ),
  takeOver: post(
    '/instances/:id/take-over',
    'operate',
    'Takes a conversation over: pauses and claims it',
    wire.desk.takeOver,
    wire.accepted,
  ),
  renewClaim: post(
    '/instances/:id/claim',
    'operate',
    'Renews a claim',
    wire.desk.act,
    wire.accepted,
  ),
  handBack: post(
    '/instances/:id/hand-back',
    'operate',
    'Releases and resumes a conversation',
    wire.desk.handBack,
    wire.accepted,
  ),
  addNote: post('/instances/:id/notes', 'operate', 'Adds a note', wire.desk.note, wire.accepted),
  draft: post(
    '/instances/:id/draft',
    'operate',
    'Drafts what the agent would say now',
    wire.desk.act,
    wire.draft,
  ),
  fork: post(
    '/instances/:id/fork',
    'operate',
    'Starts a copy of an instance',
    wire.fork,
    wire.started,
    201,
  ),
  migrate: post(
    '/instances/:id/migrate',
    'operate',
    'Migrates an instance to the latest version of its definition',
    wire.migrate,
    wire.accepted,
  ),
  assess: post(
    '/assess',
    'define',
    'What a migration to a new version would do to the instances of a definition',
    wire.assess,
    wire.assessed,
  ),
  erase: post('/erase', 'admin', 'Erases everything about a contact', wire.erase, wire.erased),
  backup: post('/backup', 'admin', 'Copies the store', wire.backup, wire.nothing),
  verify: get('/verify', 'admin', 'Reads and checks the whole store', wire.nothing, wire.verified),
  damaged: get('/damaged', 'admin', 'Lists damaged records', wire.nothing, wire.damaged),
} as const;

/** Streams one JSON document about a contact. Its input is that of the query. */
export const exportRoute = { path: '/export', scope: 'admin', input: wire.exported } as const;

/** Streams server-sent events, until the host stops or the client disconnects. `output` is the data of each. */
export const eventsRoute = {
  path: '/events',
  scope: 'read',
  input: wire.eventFilter,
  output: wire.hostEvent,
} as const;

export type RouteName = keyof typeof routes;
export type Input<Name extends RouteName> = z.output<(typeof routes)[Name]['input']>;
export type Output<Name extends RouteName> = z.output<(typeof routes)[Name]['output']>;

/** The largest body of a request, in bytes. */
export const largestBody = 1_000_000;

/** The path of a route for an id. */
export function pathOf(pattern: string, id: string): string {
  return pattern.replace(':id', () => encodeURIComponent(id));
}

/** Whether a path leads to the id that it was made of: an id such as ".." changes the path. */
export function leadsTo(path: string): boolean {
  return (
    new URL(path, 'http://host').pathname === path && !path.includes('//') && !path.endsWith('/')
  );
}

function get<In extends z.ZodType, Out extends z.ZodType>(
  path: string,
  scope: Scope,
  summary: string,
  input: In,
  output: Out,
) {
  return { method: 'GET', path, scope, summary, input, output, status: 200 } as const;
}

function post<In extends z.ZodType, Out extends z.ZodType>(
  path: string,
  scope: Scope,
  summary: string,
  input: In,
  output: Out,
  status: 200 | 201 = 200,
) {
  return { method: 'POST', path, scope, summary, input, output, status } as const;
}
