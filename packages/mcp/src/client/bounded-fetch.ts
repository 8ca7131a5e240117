/** The limit and the callbacks for responses of one server. */
export interface ResponseWatch {
  /** The maximum size of one message, in bytes. */
  readonly bytesMax: number;
  readonly onTooLarge: () => void;
  /** Called when a response broke off and the server cannot resume it. */
  readonly onCut: () => void;
}

const newline = 10;
const carriageReturn = 13;

/**
 * `fetch` that limits the size of each message: a whole response, or an event of a stream. Without it, a server could fill
 * the memory of this process.
 */
export function boundedFetch(watch: ResponseWatch, send: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    const isRequest = init?.method === 'POST';
    const body = bounded(response, isRequest, watch);
    const { status, statusText, headers } = response;
    const copy = new Response(body, { status, statusText, headers });
    Object.defineProperty(copy, 'url', { value: response.url });
    return copy;
  };
}

function bounded(
  response: Response,
  isRequest: boolean,
  { bytesMax, onTooLarge, onCut }: ResponseWatch,
): ReadableStream<Uint8Array> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const reader = response.body!.getReader();
  let size = 0;
  let last = 0;
  let hasIds = false;
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let part: Awaited<ReturnType<typeof reader.read>>;
      try {
        part = await reader.read();
      } catch (error) {
        if (isRequest && !hasIds) onCut();
        controller.error(error);
        return;
      }
      if (isCancelled) return;
      if (part.done) {
        controller.close();
        return;
      }
      for (const byte of part.value) {
        size += 1;
        // An empty line ends an event. Carriage returns before newlines are not counted.
        if (isStream && byte === newline && last === newline) size = 0;
        if (byte !== carriageReturn) last = byte;
      }
      if (isStream && !hasIds) hasIds = /(^|\n)id:/.test(new TextDecoder().decode(part.value));
      if (size <= bytesMax) {
        controller.enqueue(part.value);
        return;
      }
      onTooLarge();
      controller.error(new Error(`A message has more than ${bytesMax} bytes.`));
      await reader.cancel();
    },
    cancel(reason) {
      isCancelled = true;
      return reader.cancel(reason);
    },
  });
}
