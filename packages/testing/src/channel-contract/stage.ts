/* oxlint-disable vitest/valid-title, vitest/expect-expect, vitest/no-conditional-tests -- A fact's name and checks come from its chapter. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createHost,
  type DeliveryStatus,
  type HttpChannel,
  manualClock,
  type ManualClock,
  memoryStore,
  type OutgoingMessage,
} from '@dramaturg/host';
import { onTestFinished, test } from 'vitest';
import { type HostContractOptions, HostStage } from '../host-contract/stage.ts';

/** A message on the screen of a person. */
export interface Shown {
  /** The contact in the form of the host. */
  readonly contact: string;
  readonly text: string;
}

/** A request as the provider sends it. */
export interface ProviderRequest {
  /** Below the address of the channel, such as `/`. */
  readonly path?: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The signature of a request. `old`: valid, but made ten minutes ago. */
export type Signing = 'valid' | 'missing' | 'wrong' | 'old';

export interface ProviderMessage {
  readonly contact: string;
  readonly text: string;
  /** 1, 2, 3 ...: the stand-in makes ids in the form of its provider. */
  readonly number: number;
  /** How many files the person has sent with it. */
  readonly attachments?: number;
  /** The person has edited the message: the second on which this was, counted from the message. */
  readonly edit?: number;
}

/** A channel with a stand-in for its provider. */
export interface ChannelPlace {
  readonly channel: HttpChannel;
  /** The same channel in another process. */
  readonly another: () => HttpChannel;
  readonly provider: {
    /** The messages on people's screens, in order. */
    readonly shown: readonly Shown[];
    /** The troubles of the provider with the next requests. */
    readonly troubles: (Trouble | undefined)[];
  };
  /** The contacts of two people, in the form of the host. */
  readonly contacts: readonly [string, string];
  /** Other spellings of the first person, where the channel has a form for contacts. */
  readonly spellings?: readonly string[];
  /** Strings that no error and no journal may contain. */
  readonly secrets: readonly string[];
  /** The largest message of the provider. Null when there is no limit. */
  readonly limit: { readonly max: number; readonly sizeOf: (text: string) => number } | null;
  readonly sign: (message: ProviderMessage, signing?: Signing) => ProviderRequest;
  /** A request with a valid signature and any body. */
  readonly signBody: (body: string) => ProviderRequest;
  /** A report about a shown message. Undefined when the provider has no reports. */
  readonly report?: (shown: Shown, status: DeliveryStatus, signing?: Signing) => ProviderRequest;
  /** Valid requests without a message, such as reactions or messages of the channel itself. */
  readonly others: readonly ProviderRequest[];
}

export interface ChannelContractOptions {
  readonly lifecycles: HostContractOptions['lifecycles'];
  /** Tests that this channel does not pass, by name, with the reason. They are shown as skipped. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[];
}

/** Makes a channel that gets its requests at a URL. */
export type MakeChannelPlace = (url: string) => Promise<ChannelPlace>;

/** Registers one fact. */
export type ChannelFact = (name: string, prove: (stage: ChannelStage) => Promise<void>) => void;

export function channelFactsOf(
  makePlace: MakeChannelPlace,
  { lifecycles, skip = [] }: ChannelContractOptions,
): ChannelFact {
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((name) => [name, reason])));
  return (name, prove) => {
    const reason = reasons.get(name);
    if (reason !== undefined) {
      test.skip(`${name} (${reason})`);
      return;
    }
    test(name, async () => prove(await ChannelStage.open(makePlace, lifecycles)));
  };
}

/** A host with the channel under test, a server for the requests of the provider, and the stand-in of the provider. */
export class ChannelStage {
  readonly place: ChannelPlace;
  readonly hosting: HostStage;
  /** The time of the host: its pauses end when a test sets it. */
  readonly clock: ManualClock;
  readonly #url: string;

  private constructor(place: ChannelPlace, hosting: HostStage, clock: ManualClock, url: string) {
    this.place = place;
    this.hosting = hosting;
    this.clock = clock;
    this.#url = url;
  }

  static async open(
    makePlace: MakeChannelPlace,
    lifecycles: HostContractOptions['lifecycles'],
  ): Promise<ChannelStage> {
    let answer: (request: Request) => Promise<Response> | Response = () => Response.error();
    const url = await serve((request) => answer(request));
    const place = await makePlace(url);
    const store = memoryStore();
    const clock = manualClock({ startAt: Date.now() });
    const hosting = new HostStage(
      { open: (options) => createHost({ ...options, store, clock }) },
      lifecycles,
    );
    const host = await hosting.open({ channels: { main: place.channel } });
    onTestFinished(() => host.stop({ within: 0 }));
    answer = (request) =>
      place.channel.handle(request, { name: 'main', host, orStart: { definition: 'chat' } });
    return new ChannelStage(place, hosting, clock, url);
  }

  /** Delivers a message without the host. */
  async deliver(
    message: Partial<OutgoingMessage> & Pick<OutgoingMessage, 'text'>,
    { channel = this.place.channel, signal = AbortSignal.timeout(10_000) } = {},
  ): Promise<void> {
    const [contact] = this.place.contacts;
    const all = {
      id: 'a/0/reply',
      instance: 'a',
      contact,
      role: 'agent',
      at: 0,
      ...message,
    } as const;
    await channel.deliver(all, { signal });
  }

  /** Sends a request of the provider. */
  send({ path = '', method = 'POST', headers, body }: ProviderRequest): Promise<Response> {
    return fetch(this.#url + path, { method, headers, ...(method === 'POST' ? { body } : {}) });
  }

  /** The messages of people in the transcripts of all instances. */
  async received(): Promise<readonly string[]> {
    const { host } = this.hosting;
    const texts: string[] = [];
    for (const { id } of (await host.list()).items)
      for (const { role, text } of await host.transcript(id, { from: 0, limit: 1_000 }))
        if (role === 'contact') texts.push(text);
    return texts;
  }

  /** The id of the instance that talks with the first contact. */
  async instance(): Promise<string> {
    const { items } = await this.hosting.host.list({
      contact: this.place.contacts[0],
      channel: 'main',
    });
    return items[0]!.id;
  }
}

async function serve(answer: (request: Request) => Promise<Response> | Response): Promise<string> {
  const server = createServer((request, response) => void answerWith(answer, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/channels/main`;
}

async function answerWith(
  answer: (request: Request) => Promise<Response> | Response,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, path, headers, body } = await readRequest(incoming);
  const url = `http://${headers['host']}${path}`;
  const hasBody = !['GET', 'HEAD'].includes(method);
  try {
    const answered = await answer(
      new Request(url, { method, headers, ...(hasBody ? { body } : {}) }),
    );
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(Buffer.from(await answered.arrayBuffer()));
  } catch {
    response.writeHead(500).end();
  }
}

/**
 * The trouble of a provider with the next request. `lost`: it accepts the message, and the connection breaks before the answer.
 * `silent`: it never answers. `nonsense`: it answers 200 with a page of a proxy.
 */
export type Trouble =
  | 'failed'
  | 'limited'
  | 'refused'
  | 'denied'
  | 'cut'
  | 'lost'
  | 'silent'
  | 'nonsense';

export interface StandInRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StandInAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface StandInServerOptions {
  /** Answers a request according to the provider's documentation. */
  readonly handle: (request: StandInRequest) => StandInAnswer | Promise<StandInAnswer>;
  /** The provider's error answers. */
  readonly errors: Readonly<Record<'failed' | 'limited' | 'refused' | 'denied', StandInAnswer>>;
}

/** A server on this machine with the HTTP interface of a provider. It makes trouble on demand of a test. */
export class StandInServer {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #options: StandInServerOptions;
  /** The troubles of the next requests, in order. */
  readonly troubles: (Trouble | undefined)[] = [];
  /** All requests, in order of arrival. */
  readonly requests: StandInRequest[] = [];
  url = '';

  constructor(options: StandInServerOptions) {
    this.#options = options;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { handle, errors } = this.#options;
    const read = await readRequest(request);
    this.requests.push(read);
    const trouble = this.troubles.shift();
    switch (trouble) {
      case 'silent':
        return;
      case 'cut':
        return void request.socket.destroy();
      case 'lost':
        await handle(read);
        return void request.socket.destroy();
      case 'nonsense':
        return send(response, { status: 200, body: '<html>Please log in.</html>' });
      case undefined:
        return send(response, await handle(read));
      default:
        return send(response, errors[trouble]);
    }
  }
}

/** Reads a request whole, with its body as text. */
async function readRequest(request: IncomingMessage): Promise<StandInRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = '', url = '', headers } = request;
  const plain = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return {
    method,
    path: url,
    headers: Object.fromEntries(plain),
    body: Buffer.concat(chunks).toString(),
  };
}

function send(response: ServerResponse, { status, headers, body = '' }: StandInAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** An answer in JSON. */
export function jsonAnswer(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): StandInAnswer {
  return { status, body: JSON.stringify(body), headers };
}
