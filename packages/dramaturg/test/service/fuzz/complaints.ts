import { eventsRoute, operations } from '@dramaturg/service';
import * as z from 'zod';
import type { Exchanged } from './exchange.ts';
import { type FuzzedRequest, isOfFrontEnd } from './requests.ts';

const problemSchema = z.object({
  status: z.number(),
  title: z.string().min(1),
  detail: z.string().min(1),
  code: z.string().regex(/^[a-z-]+\/[a-z-]+$/),
});

export type Complain = (request: FuzzedRequest, answer: Exchanged) => string | undefined;

/** What is wrong with the answer to a request. */
export function complaintOf(request: FuzzedRequest, answer: Exchanged): string | undefined {
  const { status, type, text } = answer;
  if (status >= 500) return `answered with ${status}: ${text.slice(0, 300)}`;
  if (request.method === 'HEAD') return undefined;
  if (status >= 400) {
    if (type !== 'application/problem+json') return `an error ${status} of the type "${type}"`;
    return faultOf(problemSchema, text);
  }
  if (status === 204 && request.route === 'resume') return undefined;
  if (status !== 200 && status !== 201) return `answered with ${status}`;
  if (type === 'text/event-stream')
    return isOfFrontEnd(request.route) ? faultInAnswer(text) : faultInStream(text);
  if (request.route === 'acts' && type === 'text/csv; charset=utf-8; header=present')
    return text.includes('\n') ? undefined : `a table without rows: ${text.slice(0, 100)}`;
  if (!type.startsWith('application/json')) return `an answer of the type "${type}"`;
  const { route, isRouted } = request;
  if (!isRouted || route === 'events' || route === 'export' || isOfFrontEnd(route))
    return faultOf(z.json(), text);
  return faultOf(operations[route].output, text);
}

function faultOf(schema: z.ZodType, text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `not JSON: ${text.slice(0, 200)}`;
  }
  const { error } = schema.safeParse(value);
  return error && `${z.prettifyError(error)} in ${text.slice(0, 300)}`;
}

/** In the protocols of front ends, each frame is JSON or the end. */
function faultInAnswer(text: string): string | undefined {
  for (const frame of text.split('\n\n').slice(0, -1)) {
    if (frame.startsWith(':') || frame === 'data: [DONE]') continue;
    if (!frame.startsWith('data: ')) return `a frame of an answer: ${frame.slice(0, 100)}`;
    const fault = faultOf(z.looseObject({ type: z.string() }), frame.slice(6));
    if (fault !== undefined) return fault;
    if (frame.includes('host/failure') || frame.includes('Dramaturg has failed')) return frame;
  }
  return undefined;
}

/** The last frame may be cut off. */
function faultInStream(text: string): string | undefined {
  for (const frame of text.split('\n\n').slice(0, -1)) {
    const lines = frame.split('\n').filter((line) => !line.startsWith(':'));
    const unknown = lines.find((line) => !/^(id|data|event): /.test(line));
    if (unknown !== undefined) return `a line of a stream: ${unknown.slice(0, 100)}`;
    const data = lines.find((line) => line.startsWith('data: '))?.slice(6) ?? '';
    const isProblem = lines.includes('event: problem');
    const isEnd = lines.includes('event: end') || lines.includes('event: begin');
    const schema = isProblem ? problemSchema : isEnd ? z.json() : eventsRoute.output;
    const fault = faultOf(schema, data);
    if (fault !== undefined) return fault;
    if (isProblem && (JSON.parse(data) as { status: number }).status >= 500) return data;
  }
  return undefined;
}
