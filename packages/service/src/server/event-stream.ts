import { isRecord } from '@dramaturg/compiler';
import { type EventFilter, HostError, type HostEvent } from '@dramaturg/host';
import { sseResponse } from '@dramaturg/host/channel';
import { feedPositionOf, positionOf } from '@dramaturg/host/engine';
import { problemIn } from '../failure.ts';
import type { ServedOperations } from '../operations/in-process.ts';
import { problem } from '../problem.ts';
import { given } from '../operations/given.ts';

/**
 * Server-sent events, each with its cursor as the id, so that a client that connects again gets what it has missed. The event
 * `begin` has the first cursor, `problem` says why the stream ends; the event `end` says that the host has stopped.
 */
export async function eventStream(
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
