/** One document in parts. A failure after the first part breaks the connection off. */
export async function exportStream(
  parts: AsyncIterable<string>,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<Response> {
  const source = parts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  // A refusal is answered as one.
  const first = await source.next();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (!first.done) controller.enqueue(encoder.encode(first.value));
    },
    async pull(controller) {
      const next = await source.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await source.return?.();
    },
  });
  return new Response(body, { headers });
}
