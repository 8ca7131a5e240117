import { isRecord } from '@dramaturg/compiler';
import { RejectedError, RetryLaterError } from '../channel.ts';

/** The answer of a provider. */
export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The largest number of bytes that are read of an answer. */
const answerBytesMax = 1_000_000;

/**
 * Sends a request to a provider and reads its answer.
 *
 * @param provider its name, for errors
 * @throws Error when the provider cannot be reached or breaks off
 */
export async function askProvider(
  provider: string,
  url: string,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<ProviderAnswer> {
  try {
    const response = await fetch(url, { redirect: 'error', ...init });
    const { status, headers } = response;
    return { status, headers, text: await textOf(response) };
  } catch (cause) {
    init.signal.throwIfAborted();
    // An address can contain a token, so the message of the error is not repeated.
    const { code } = (cause as { cause?: { code?: unknown } }).cause ?? {};
    const reason = typeof code === 'string' ? ` (${code})` : '';
    throw new Error(`${provider} cannot be reached, or has broken off${reason}.`, { cause });
  }
}

/**
 * Loads a file from a provider. Its credentials are not sent to the address of a redirection.
 *
 * @param bytesMax at most one byte more is returned
 * @throws Error when the provider does not send it
 */
export async function loadFile(
  provider: string,
  url: string,
  { headers = {}, signal, bytesMax }: FileRequest,
): Promise<Uint8Array> {
  const response = await fetch(url, { headers, signal });
  if (!response.ok) throw new Error(`${provider} answered ${response.status} for a file.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > bytesMax) break;
  }
  return new Uint8Array(Buffer.concat(chunks).subarray(0, bytesMax + 1));
}

export interface FileRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly bytesMax: number;
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > answerBytesMax) throw new Error('The answer is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The JSON object in a string; undefined when the string is something else. */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export interface Failure {
  readonly provider: string;
  readonly status: number;
  readonly headers: Headers;
  /** The reason that the provider gives, without a full stop. */
  readonly reason?: string | undefined;
  /** The pause that the body asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether the provider would refuse the message again. Decided by the status when left out. */
  readonly isFinal?: boolean;
}

/** The pause after an answer 429 without a pause. */
const defaultPauseMs = 5_000;

/** Statuses 4xx that are not about the message: its sender, the time or the rate is wrong. */
const notAboutMessage = [401, 403, 404, 405, 407, 408, 409, 421, 425, 429];

/** The error that tells the host what an answer means: never again, later, or again with backoff. */
export function deliveryError(failure: Failure): Error {
  const { provider, status, headers, reason, isFinal } = failure;
  const because = reason ? `: ${reason.slice(0, 300)}` : '';
  const message = `${provider} answered ${status}${because}.`;
  const retryAfterMs = failure.retryAfterMs ?? retryAfter(headers);
  if (status === 429) return new RetryLaterError(message, retryAfterMs ?? defaultPauseMs);
  if (status === 503 && retryAfterMs !== undefined)
    return new RetryLaterError(message, retryAfterMs);
  const isPermanent =
    isFinal ?? (status >= 400 && status < 500 && !notAboutMessage.includes(status));
  return isPermanent ? new RejectedError(message) : new Error(message);
}

/** The header `Retry-After` in milliseconds. Spec: RFC 9110, section 10.2.3 */
export function retryAfter(headers: Headers): number | undefined {
  const given = headers.get('retry-after');
  if (given === null) return undefined;
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given) * 1_000;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
