import {
  type ChannelContext,
  type ChannelConversation,
  HostError,
  StoreError,
} from '@dramaturg/host';
import { type ChannelHost, sseResponse } from '@dramaturg/host/channel';
import * as z from 'zod';
import {
  chatFrames,
  type Destination,
  openConversation,
  readHistory,
  receiveMessage,
} from './conversation/chat-frames.ts';
import { ChatError, problemResponse } from './http/chat-error.ts';
import { PageRoutes } from './http/page-routes.ts';
import { readBody, textBytesMax } from './http/read-body.ts';
import type { CheckedOptions } from './options.ts';
import {
  type ChatFrame,
  fileBytesMax,
  filesMax,
  nameLengthMax,
  type SessionAnswer,
  textLengthMax,
} from './protocol.ts';
import { identityOf } from './session/identity.ts';
import { newVisitor, Sessions, type Visitor } from './session/sessions.ts';

interface Rate {
  readonly perMinute: number;
  /** The largest burst. */
  readonly burst: number;
}

interface Bucket {
  readonly units: number;
  /** When the bucket had them, in milliseconds. */
  readonly at: number;
}

/** Maximum number of keys in memory. The least recently used one is forgotten, which fills its bucket. */
const keysMax = 100_000;

/** Limits requests by key, with token buckets. */
class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now monotonic, in milliseconds */
  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /**
   * Counts a request.
   *
   * @throws ChatError with the status 429 and the time after which the request is accepted
   */
  count(key: string): void {
    const { perMinute, burst } = this.#rate;
    const now = this.#now();
    const { units: before, at } = this.#buckets.get(key) ?? { units: burst, at: now };
    const units = Math.min(burst, before + ((now - at) * perMinute) / 60_000);
    // A map keeps the order of insertion: the key moves to the end.
    this.#buckets.delete(key);
    this.#buckets.set(key, { units: units < 1 ? units : units - 1, at: now });
    if (this.#buckets.size > keysMax) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (units >= 1) return;
    throw new ChatError(429, 'chat/too-many-requests', 'Too many requests. Send it again later.', {
      retryAfterMs: Math.ceil(((1 - units) * 60_000) / perMinute),
    });
  }
}

/** Maximum number of lines that are searched for the message, from the end: a page reports the latest message that it shows. */
const linesMax = 200;

interface ReadMessage {
  readonly conversation: string;
  readonly id: string;
}

/**
 * Reports that the visitor has seen a message, and so all before it.
 *
 * @throws ChatError with the status 404 when this visitor did not receive the message
 */
async function reportRead(
  host: ChannelHost,
  contact: string,
  { conversation, id }: ReadMessage,
): Promise<void> {
  const view = await existing(host.get(conversation));
  if (view.contact !== contact) throw unknownMessage();
  const from = Math.max(0, view.transcriptLength - linesMax);
  const lines = await host.transcript(conversation, { from, limit: linesMax });
  const isKnown = lines.some(
    (line) => line.id === id && (line.role === 'agent' || line.role === 'manual'),
  );
  if (!isKnown) throw unknownMessage();
  await host.reportDelivery({ instance: conversation, message: id, status: 'read' });
}

async function existing<Value>(reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof HostError && cause.code === 'host/unknown-instance')
      throw unknownMessage(cause);
    throw cause;
  }
}

function unknownMessage(cause?: unknown): ChatError {
  return new ChatError(404, 'chat/unknown-message', 'The visitor has no such message.', { cause });
}

/** Maximum number of open pages of one visitor. */
const streamsMax = 10;

/** Counts the open streams of each visitor. */
class StreamCount {
  readonly #open = new Map<string, number>();

  /**
   * Counts an open stream.
   *
   * @returns ends the count
   * @throws ChatError with the status 429
   */
  open(contact: string): () => void {
    const count = this.#open.get(contact) ?? 0;
    if (count >= streamsMax)
      throw new ChatError(429, 'chat/too-many-streams', 'The chat is open in too many pages.', {
        retryAfterMs: 10_000,
      });
    this.#open.set(contact, count + 1);
    return () => {
      const left = this.#open.get(contact)! - 1;
      if (left === 0) this.#open.delete(contact);
      else this.#open.set(contact, left);
    };
  }
}

/** Maximum number of messages of a conversation that a page can show. */
const historyMax = 1_000;

/** New sessions from one address, which many visitors can share. */
const sessionRate = { perMinute: 60, burst: 60 };

const sessionBody = z.strictObject({
  definition: z.string().optional(),
  identity: z.string().max(10_000).optional(),
});

const readMessageBody = z.strictObject({
  conversation: z.string().min(1).max(500),
  id: z.string().min(1).max(500),
});

/** The most bytes of a message with files. */
export const messageBytesMax = (fileBytesMax * 4) / 3 + textBytesMax;

const messageBody = z
  .strictObject({
    id: z.string().regex(/^[\w-]{8,64}$/),
    text: z.string().max(textLengthMax),
    files: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(nameLengthMax),
          url: z.string().startsWith('data:'),
        }),
      )
      .max(filesMax)
      .default([]),
  })
  .refine(({ text, files }) => text.trim() !== '' || files.length > 0, {
    path: ['text'],
    error: 'it is blank',
  });

/** The routes of a web chat, below the address of its channel. Spec: docs/web-chat.md#protocol */
export class ChatRoutes {
  readonly #options: CheckedOptions;
  readonly #page: PageRoutes;
  readonly #messages: RateLimit;
  readonly #sessions: RateLimit;
  readonly #reads: RateLimit;
  readonly #streams = new StreamCount();

  constructor(options: CheckedOptions) {
    this.#options = options;
    this.#page = new PageRoutes(options);
    const now = () => performance.now();
    const { messagesPerMinute: perMinute } = options;
    this.#messages = new RateLimit({ perMinute, burst: Math.ceil(perMinute / 3) }, now);
    this.#sessions = new RateLimit(sessionRate, now);
    this.#reads = new RateLimit({ perMinute: 60, burst: 30 }, now);
  }

  async answer(request: Request, context: ChannelContext): Promise<Response> {
    try {
      return await this.#route(request, context);
    } catch (error) {
      return problemResponse(asChatError(error));
    }
  }

  #route(request: Request, context: ChannelContext): Promise<Response> | Response {
    const { pathname, searchParams } = new URL(request.url);
    const path = /\/channels\/[^/]+\/(.*)$/.exec(pathname)?.[1];
    // The page uses relative addresses.
    if (path === undefined) return redirected(`${pathname.slice(pathname.lastIndexOf('/') + 1)}/`);
    switch (`${request.method === 'HEAD' ? 'GET' : request.method} ${path}`) {
      case 'GET ':
        return this.#page.page(
          this.#conversation(context, searchParams.get('definition') ?? undefined).definition,
          this.#takesFiles(context),
        );
      case 'POST session':
        return this.#session(request, context);
      case 'POST open':
        return this.#open(request, context);
      case 'POST messages':
        return this.#receive(request, context);
      case 'POST read':
        return this.#read(request, context);
      case 'GET stream':
        return this.#stream(request, context);
      case 'GET history':
        return this.#history(request, context);
      default:
        if (request.method !== 'GET' && request.method !== 'HEAD')
          throw new ChatError(404, 'request/unknown', 'The chat has no such address.');
        return this.#page.file(path, searchParams.get('v'));
    }
  }

  async #session(request: Request, context: ChannelContext): Promise<Response> {
    requireOwnOrigin(request);
    this.#sessions.count(context.address ?? '');
    const { definition: wanted, identity } = await readBody(request, sessionBody);
    const { definition } = this.#conversation(context, wanted);
    const sessions = this.#sessionsOf(context);
    if (identity !== undefined) {
      const customer = await identityOf(identity, this.#options.identitySecret);
      return sessionAnswer(sessions, { ...customer, definition });
    }
    const before = await sessions.visitorOf(request).catch(asNewVisitor);
    const isSame = before?.definition === definition && !before.isCustomer;
    return sessionAnswer(sessions, isSame ? before : newVisitor(definition));
  }

  async #open(request: Request, context: ChannelContext): Promise<Response> {
    const destination = await this.#destination(request, context);
    if (!this.#options.greet)
      throw new ChatError(403, 'chat/no-greeting', 'In this chat, the visitor writes first.');
    this.#messages.count(destination.contact);
    await openConversation(destination);
    return Response.json({});
  }

  async #receive(request: Request, context: ChannelContext): Promise<Response> {
    const destination = await this.#destination(request, context);
    this.#messages.count(destination.contact);
    const takesFiles = this.#takesFiles(context);
    const bytesMax = takesFiles ? messageBytesMax : textBytesMax;
    const message = await readBody(request, messageBody, bytesMax);
    if (message.files.length > 0 && !takesFiles)
      throw new ChatError(403, 'chat/no-files', 'This chat takes no files.');
    return Response.json(await receiveMessage(destination, message));
  }

  #takesFiles({ host }: ChannelContext): boolean {
    return this.#options.files && host.keepsFiles;
  }

  async #read(request: Request, context: ChannelContext): Promise<Response> {
    const { host, contact } = await this.#destination(request, context);
    this.#reads.count(contact);
    await reportRead(host, contact, await readBody(request, readMessageBody));
    return Response.json({});
  }

  async #stream(request: Request, context: ChannelContext): Promise<Response> {
    const { host, contact } = await this.#destination(request, context);
    const release = this.#streams.open(contact);
    return sseResponse((signal) => {
      signal.addEventListener('abort', release, { once: true });
      return framesAsEvents(chatFrames(host, contact, signal));
    }, request.signal);
  }

  async #history(request: Request, context: ChannelContext): Promise<Response> {
    const { host, contact } = await this.#destination(request, context);
    return Response.json(await readHistory(host, contact, historyMax));
  }

  /** @throws ChatError with the status 401 or 403 */
  async #destination(request: Request, context: ChannelContext): Promise<Destination> {
    requireOwnOrigin(request);
    const { contact, definition } = await this.#sessionsOf(context).visitorOf(request);
    const { host, name: channel } = context;
    return { host, channel, contact, conversation: this.#conversation(context, definition) };
  }

  /** @throws ChatError when visitors may not talk to the definition */
  #conversation({ orStart }: ChannelContext, wanted?: string): ChannelConversation {
    const allowed = this.#options.definitions ?? (orStart ? [orStart.definition] : []);
    const definition = wanted ?? allowed[0];
    if (definition === undefined)
      throw new ChatError(500, 'chat/no-definition', 'This web chat has no definition to start.');
    if (!allowed.includes(definition))
      throw new ChatError(404, 'chat/unknown-definition', 'This web chat has no such definition.');
    return orStart?.definition === definition ? orStart : { definition };
  }

  #sessionsOf({ name }: ChannelContext): Sessions {
    return new Sessions(this.#options.secret, name, this.#options.sessionDays);
  }
}

async function sessionAnswer(sessions: Sessions, visitor: Visitor): Promise<Response> {
  const { name } = visitor;
  const answer: SessionAnswer = {
    token: await sessions.issue(visitor),
    ...(name !== undefined && { name }),
  };
  return Response.json(answer);
}

function asNewVisitor(error: unknown): undefined {
  if (!(error instanceof ChatError)) throw error;
}

async function* framesAsEvents(frames: AsyncIterable<ChatFrame>): AsyncGenerator<string, void> {
  // Sends the head of the response, which waits for the first bytes.
  yield ': open\n\n';
  try {
    for await (const frame of frames) yield `data: ${JSON.stringify(frame)}\n\n`;
  } catch (error) {
    // A page opens an ended stream again and gets everything from the start: also when the host stops or the page was too slow.
    if (!(error instanceof HostError || error instanceof StoreError)) throw error;
  }
}

function redirected(location: string): Response {
  return new Response(null, { status: 308, headers: { location } });
}

/** A temporary failure of the host: the page sends the message again. */
function asChatError(error: unknown): ChatError {
  if (error instanceof ChatError) return error;
  if (error instanceof HostError && error.code === 'host/stopped')
    return new ChatError(503, error.code, 'The service is stopping. Send the request again.');
  throw error;
}

/**
 * Refuses requests of pages of other origins. The page of the chat is in a frame of its own, so its requests have its own origin,
 * also on another site.
 *
 * @throws ChatError with the status 403
 */
function requireOwnOrigin({ headers, url }: Request): void {
  const host = headers.get('host') ?? new URL(url).host;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  // The scheme is not compared: a proxy that ends TLS forwards requests of https pages as http.
  const isOwn = origin === null || origin === `https://${host}` || origin === `http://${host}`;
  if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return;
  throw new ChatError(403, 'chat/origin', 'Only the page of the chat may send this request.');
}
