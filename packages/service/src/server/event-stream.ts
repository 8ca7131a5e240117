import type { EventFilter, HostEvent } from '@dramaturg/host';
import { sseResponse } from '@dramaturg/host/channel';
import { problemIn } from '../failure.ts';
import type { ServedOperations } from '../operations.ts';
import { problem } from '../problem.ts';
import { given } from './given.ts';

/**
 * Server-sent events, each with its cursor as the id, so that a client that connects again gets what it has missed. An event
 * `problem` says why the stream ends; an event `end` that the host has stopped.
 */
export async function eventStream(
  host: Pick<ServedOperations, 'events' | 'cursor'>,
  filter: EventFilter,
  clientSignal: AbortSignal,
): Promise<Response> {
  const { instance, after } = filter;
  // A client that is cut off before the first event goes on from here.
  const cursor = after ?? (await host.cursor(given({ instance })));
  return sseResponse(
    (signal) => framesOf(host.events({ ...filter, signal }), cursor),
    clientSignal,
  );
}

async function* framesOf(
  events: AsyncIterable<HostEvent>,
  cursor: string | undefined,
): AsyncGenerator<string, void> {
  // The head of the response is sent with the first bytes.
  yield `: open\n${cursor === undefined ? '' : `id: ${cursor}\n`}\n`;
  try {
    for await (const event of events) yield frameOf(event);
    yield 'event: end\ndata: {}\n\n';
  } catch (error) {
    const failure = problemIn(error) ?? problem(500, 'host/failure', 'The stream has failed.');
    yield `event: problem\ndata: ${JSON.stringify(failure)}\n\n`;
  }
}

function frameOf(event: HostEvent): string {
  const id = event.cursor === undefined ? '' : `id: ${event.cursor}\n`;
  return `${id}data: ${JSON.stringify(event)}\n\n`;
}
