import { isTurnLong, nextTurn } from '@dramaturg/compiler/machine';

export const eventStreamType = 'text/event-stream';

/** Milliseconds between two comments, so that proxies keep a silent stream open. */
const aliveIntervalMs = 15_000;

/** A client that reads nothing for this time is disconnected. */
const stalledMs = 60_000;

/**
 * A response of server-sent events. A client that has left, or reads nothing for a minute, ends the iteration of the frames.
 * Spec: HTML, section 9.2
 *
 * @param make called immediately, so that its errors are answered as problems. The signal aborts when the client has left.
 */
export function sseResponse(
  make: (signal: AbortSignal) => AsyncGenerator<string, void>,
  clientSignal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const leaving = new AbortController();
  const frames = make(AbortSignal.any([clientSignal, leaving.signal]));
  const encoder = new TextEncoder();
  let alive: ReturnType<typeof setInterval> | undefined;
  let stalled: ReturnType<typeof setTimeout> | undefined;
  const leave = () => {
    clearInterval(alive);
    clearTimeout(stalled);
    leaving.abort();
    // The signal ends a generator that waits.
    void frames.return().catch(() => {});
  };
  clientSignal.addEventListener('abort', leave, { once: true });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      alive = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(encoder.encode(':\n\n'));
        stalled ??= setTimeout(() => {
          leave();
          controller.error(new Error('The client reads nothing.'));
        }, stalledMs);
      }, aliveIntervalMs);
    },
    async pull(controller) {
      clearTimeout(stalled);
      stalled = undefined;
      if (isTurnLong()) await nextTurn();
      const next = await frames.next();
      if (leaving.signal.aborted) return;
      if (!next.done) return controller.enqueue(encoder.encode(next.value));
      leave();
      controller.close();
    },
    cancel: leave,
  });
  return new Response(body, {
    headers: {
      'content-type': eventStreamType,
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...headers,
    },
  });
}
