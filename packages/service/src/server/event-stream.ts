import type { EventFilter, HostEvent } from '@dramaturg/host';
import { problemIn } from '../failure.ts';
import type { ServedOperations } from '../operations.ts';
import { given } from './given.ts';
import { problem } from '../problem.ts';

/** Milliseconds between two comments, so that proxies keep a silent stream open. */
const aliveIntervalMs = 15_000;

/** A client that reads nothing for so long is disconnected. */
const stalledMs = 60_000;

export const eventStreamType = 'text/event-stream';

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
  const leaving = new AbortController();
  const signal = AbortSignal.any([clientSignal, leaving.signal]);
  const source = host.events({ ...filter, signal })[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let alive: ReturnType<typeof setInterval> | undefined;
  let stalled: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearInterval(alive);
    clearTimeout(stalled);
    leaving.abort();
  };
  signal.addEventListener('abort', end, { once: true });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // The head of the response is sent with the first bytes.
      controller.enqueue(
        encoder.encode(`: open\n${cursor === undefined ? '' : `id: ${cursor}\n`}\n`),
      );
      alive = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(':\n\n'));
        else stalled ??= setTimeout(() => controller.error(new Error('stalled')), stalledMs);
      }, aliveIntervalMs);
    },
    async pull(controller) {
      clearTimeout(stalled);
      stalled = undefined;
      try {
        const next = await source.next();
        if (signal.aborted) return;
        if (!next.done) return controller.enqueue(encoder.encode(frameOf(next.value)));
        controller.enqueue(encoder.encode('event: end\ndata: {}\n\n'));
      } catch (error) {
        if (signal.aborted) return;
        const failure = problemIn(error) ?? problem(500, 'host/failure', 'The stream has failed.');
        controller.enqueue(encoder.encode(`event: problem\ndata: ${JSON.stringify(failure)}\n\n`));
      }
      end();
      controller.close();
    },
    cancel: end,
  });
  return new Response(body, {
    headers: {
      'content-type': eventStreamType,
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  });
}

function frameOf(event: HostEvent): string {
  const id = event.cursor === undefined ? '' : `id: ${event.cursor}\n`;
  return `${id}data: ${JSON.stringify(event)}\n\n`;
}
