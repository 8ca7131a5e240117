import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FuzzedRequest } from './requests.ts';

export interface Exchanged {
  readonly status: number;
  readonly type: string;
  /** All of it, or what a stream has sent at first. */
  readonly text: string;
}

/** Milliseconds for which a stream is read. */
const streamMs = 15;

/** A request that is not answered for so long is not answered. */
const answerMs = 20_000;

/** Sends a request as it is: the path is not made regular. */
export async function exchange(
  url: string,
  { method, path, headers, body }: FuzzedRequest,
  agent: Agent,
): Promise<Exchanged> {
  const { hostname, port } = new URL(url);
  const signal = AbortSignal.timeout(answerMs);
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = request({
    hostname,
    port,
    method,
    path,
    agent,
    signal,
    headers: { ...headers, ...length },
  });
  // A service may answer and close the connection before it has the whole body.
  const failed = once(sent, 'error').then(([error]) => {
    throw error as Error;
  });
  failed.catch(() => {});
  sent.end(body);
  const [response] = (await Promise.race([once(sent, 'response'), failed])) as [IncomingMessage];
  const type = response.headers['content-type'] ?? '';
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const ended = Promise.race([once(response, 'end'), failed]);
  if (type === 'text/event-stream') {
    await Promise.race([ended, pause(streamMs)]);
    ended.catch(() => {});
    response.on('error', () => {}).destroy();
  } else await ended;
  return { status: response.statusCode!, type, text: Buffer.concat(chunks).toString('utf8') };
}
