import type { z } from 'zod';
import { ChatError } from './chat-error.ts';

/** The most bytes of a body without files: the longest text, with each character escaped. */
export const textBytesMax = 100_000;

/**
 * Reads a body of JSON.
 *
 * @throws ChatError with the status 400, 413 or 415
 */
export async function readBody<Output>(
  request: Request,
  schema: z.ZodType<Output>,
  bytesMax = textBytesMax,
): Promise<Output> {
  // Pages of other origins can send this type only after a preflight request, which is refused.
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    throw new ChatError(415, 'request/media-type', 'Send JSON with its content type.');
  const result = schema.safeParse(parsed(await textOf(request, bytesMax)));
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw invalid(
    `${path.length === 0 ? 'The body' : `"${path.join('.')}"`} is not valid: ${message}.`,
  );
}

async function textOf({ body }: Request, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > bytesMax)
      throw new ChatError(413, 'request/too-large', `The body has more than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid('The body is not JSON.', cause);
  }
}

function invalid(message: string, cause?: unknown): ChatError {
  return new ChatError(400, 'request/invalid', message, { cause });
}
