import type { z } from 'zod';
import { wire } from './wire.ts';

/**
 * The routes of a host's socket, for both server and client. `input` is the query of a GET and the JSON body of a POST.
 * Spec: docs/cli.md#the-socket
 */
export const routes = {
  status: get('/status', wire.nothing, wire.status),
  damaged: get('/damaged', wire.nothing, wire.damaged),
  list: get('/instances', wire.filter, wire.summaries),
  find: get('/ids', wire.like, wire.summaries),
  get: get('/instances/:id', wire.nothing, wire.view),
  items: get('/instances/:id/items', wire.itemFilter, wire.items),
  transcript: get('/instances/:id/transcript', wire.range, wire.transcript),
  journal: get('/instances/:id/journal', wire.range, wire.lines),
  charts: get('/instances/:id/charts', wire.nothing, wire.charts),
  decisions: get('/decisions', wire.decisionFilter, wire.decisions),
  decision: get('/decisions/:id', wire.nothing, wire.decision),
  decide: post('/decisions/:id', wire.decided, wire.accepted),
  checkpoints: get('/instances/:id/checkpoints', wire.nothing, wire.checkpoints),
  start: post('/instances', wire.order, wire.started, 201),
  send: post('/instances/:id/send', wire.event, wire.accepted),
  pause: post('/instances/:id/pause', wire.nothing, wire.accepted),
  resume: post('/instances/:id/resume', wire.nothing, wire.accepted),
  cancel: post('/instances/:id/cancel', wire.cancel, wire.accepted),
  intervene: post('/instances/:id/intervene', wire.intervene, wire.accepted),
  fork: post('/instances/:id/fork', wire.fork, wire.started, 201),
  receive: post('/messages', wire.message, wire.routed),
  erase: post('/erase', wire.erase, wire.erased),
  backup: post('/backup', wire.backup, wire.nothing),
  verify: get('/verify', wire.nothing, wire.verified),
} as const;

/** Streams one JSON document about a contact. */
export const exportPath = '/export';

/** Streams one line of JSON for each event, until the host stops or the client disconnects. */
export const eventsPath = '/events';

export type RouteName = keyof typeof routes;
export type Input<Name extends RouteName> = z.output<(typeof routes)[Name]['input']>;
export type Output<Name extends RouteName> = z.output<(typeof routes)[Name]['output']>;

/** The largest body of a request, in bytes. */
export const largestBody = 1_000_000;

/** The id in a path; '' for a route without one. @returns undefined when the path does not match the route */
export function idIn(pattern: string, path: string): string | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  let id = '';
  for (const [index, part] of wanted.entries()) {
    const found = given[index]!;
    if (part === ':id' && found !== '') id = found;
    else if (part !== found) return undefined;
  }
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

export function pathOf(pattern: string, id: string): string {
  return pattern.replace(':id', () => encodeURIComponent(id));
}

function get<In extends z.ZodType, Out extends z.ZodType>(path: string, input: In, output: Out) {
  return { method: 'GET', path, input, output, status: 200 } as const;
}

function post<In extends z.ZodType, Out extends z.ZodType>(
  path: string,
  input: In,
  output: Out,
  status = 200,
) {
  return { method: 'POST', path, input, output, status } as const;
}
