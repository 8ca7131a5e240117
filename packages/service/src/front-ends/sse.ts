import { problemIn } from '../failure.ts';

interface SseOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The data of the last event. */
  readonly end?: string;
  readonly onEnd?: () => void;
}

/**
 * A response of server-sent events, each the JSON of one value. A failure ends it with an error event of both protocols.
 *
 * @param make makes the values, until the signal aborts because the client has left
 */
export function sseOf(
  make: (signal: AbortSignal) => AsyncGenerator<object, void>,
  clientSignal: AbortSignal,
  { headers = {}, end, onEnd = () => {} }: SseOptions = {},
): Response {
  const leaving = new AbortController();
  const values = make(AbortSignal.any([clientSignal, leaving.signal]));
  const encoder = new TextEncoder();
  const dataOf = (text: string) => encoder.encode(`data: ${text}\n\n`);
  const close = () => {
    leaving.abort();
    onEnd();
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await values.next();
        if (leaving.signal.aborted) return;
        if (!next.done) return controller.enqueue(dataOf(JSON.stringify(next.value)));
      } catch (error) {
        if (leaving.signal.aborted) return;
        const found = problemIn(error);
        const message = found?.detail ?? 'Dramaturg has failed.';
        const code = found?.code ?? 'host/failure';
        const failure =
          end === undefined
            ? { type: 'RUN_ERROR', message, code }
            : { type: 'error', errorText: message };
        controller.enqueue(dataOf(JSON.stringify(failure)));
      }
      if (end !== undefined) controller.enqueue(dataOf(end));
      close();
      controller.close();
    },
    async cancel() {
      close();
      await values.return();
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...headers,
    },
  });
}
