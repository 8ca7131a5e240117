import {
  type ChannelContext,
  type ChannelConversation,
  HostError,
  StoreError,
} from '@dramaturg/host';
import { sseResponse } from '@dramaturg/host/channel';
import * as z from 'zod';
import { chatFrames } from './conversation/chat-frames.ts';
import { readHistory } from './conversation/chat-history.ts';
import {
  type Destination,
  openConversation,
  receiveMessage,
} from './conversation/receive-message.ts';
import { reportRead } from './conversation/report-read.ts';
import { ChatError, problemResponse } from './http/chat-error.ts';
import { requireOwnOrigin } from './http/own-origin.ts';
import { PageRoutes } from './http/page-routes.ts';
import { RateLimit } from './http/rate-limit.ts';
import { readBody } from './http/read-body.ts';
import { StreamCount } from './http/stream-count.ts';
import type { CheckedOptions } from './options.ts';
import { type ChatFrame, type SessionAnswer, textLengthMax } from './protocol.ts';
import { identityOf } from './session/identity.ts';
import { newVisitor, Sessions } from './session/sessions.ts';
import type { Visitor } from './session/visitor.ts';

/** Messages of a conversation that a page can show. */
const historyMax = 1_000;

/** Visitors that come from one address. Many can be behind one. */
const sessionRate = { perMinute: 60, burst: 60 };

const sessionBody = z.strictObject({
  definition: z.string().optional(),
  identity: z.string().max(10_000).optional(),
});

const readMessageBody = z.strictObject({
  conversation: z.string().min(1).max(500),
  id: z.string().min(1).max(500),
});

const messageBody = z.strictObject({
  id: z.string().regex(/^[\w-]{8,64}$/),
  text: z
    .string()
    .max(textLengthMax)
    .refine((text) => text.trim() !== '', 'it is blank'),
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
    // The addresses of the page are relative.
    if (path === undefined) return redirected(`${pathname.slice(pathname.lastIndexOf('/') + 1)}/`);
    switch (`${request.method === 'HEAD' ? 'GET' : request.method} ${path}`) {
      case 'GET ':
        return this.#page.page(
          this.#conversation(context, searchParams.get('definition') ?? undefined).definition,
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
    await receiveMessage(destination, await readBody(request, messageBody));
    return Response.json({});
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
  // The head of the response is sent with the first bytes.
  yield ': open\n\n';
  try {
    for await (const frame of frames) yield `data: ${JSON.stringify(frame)}\n\n`;
  } catch (error) {
    // A stream that ends is opened again, and then begins with everything: also after a host that stops, or a page that was too slow.
    if (!(error instanceof HostError || error instanceof StoreError)) throw error;
  }
}

function redirected(location: string): Response {
  return new Response(null, { status: 308, headers: { location } });
}

/** What the host cannot do now is done later: the page sends the message again. */
function asChatError(error: unknown): ChatError {
  if (error instanceof ChatError) return error;
  if (error instanceof HostError && error.code === 'host/stopped')
    return new ChatError(503, error.code, 'The service is stopping. Send the request again.');
  throw error;
}
