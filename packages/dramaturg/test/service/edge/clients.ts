import { HttpAgent, type Message, type State } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import type { InstanceView } from '@dramaturg/host';
import { restOf } from '@dramaturg/host/channel';
import { Client as McpSdkClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { EventSource } from 'eventsource';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { onTestFinished } from 'vitest';

/** A program that talks with a conversation in one of the protocols. */
export interface Client {
  /** Sends a message, and reads what comes until the conversation rests. @returns why it rests, in the word of the protocol */
  readonly say: (text: string, id: string) => Promise<unknown>;
  /** Sends its last message again. */
  readonly again: () => Promise<unknown>;
  /** Changes the text of its only message. */
  readonly edit: (text: string, id: string) => Promise<unknown>;
  /** Stops reading, as the button of a page does. */
  readonly stop: () => Promise<void> | void;
  /** Goes on reading after its connection was lost. */
  readonly resume: () => Promise<unknown>;
  /** What it shows of the agent and of operators, a text each. */
  readonly shown: () => readonly string[];
  /** The ids of its answers, if each has one of its own. */
  readonly bubbles?: () => readonly string[];
  /** The contact in the host. */
  readonly contact: string;
}

export type MakeClient = (url: string, contact: string) => Promise<Client> | Client;

export function agUiClient(url: string, contact: string, messages: Message[] = []): Client {
  const agent = new HttpAgent({ url: `${url}/ag-ui/intake`, threadId: contact });
  agent.setMessages(messages);
  const again = async () => {
    let ending: unknown;
    await agent
      .runAgent(
        {},
        {
          onRunErrorEvent: ({ event }) => void (ending = event.code),
          onRunFinishedEvent: ({ state }) => void (ending = (state as State)['reason']),
        },
      )
      .catch(() => {});
    return ending;
  };
  return {
    contact,
    again,
    resume: again,
    stop: () => agent.abortRun(),
    say: (text, id) => {
      agent.addMessage({ id, role: 'user', content: text });
      return again();
    },
    edit: (text, id) => {
      agent.setMessages([{ id, role: 'user', content: text }]);
      return again();
    },
    shown: () =>
      agent.messages
        .filter(({ role }) => role === 'assistant')
        .map(({ content }) => content as string),
  };
}

/** The chat of `useChat`. */
export function aiSdkClient(url: string, contact: string, messages: UIMessage[] = []) {
  const transport = new DefaultChatTransport({ api: `${url}/chat/intake` });
  const chat = new Chat<UIMessage>({ id: contact, transport, messages, onError: () => {} });
  const parts = () =>
    chat.messages.filter(({ role }) => role === 'assistant').flatMap((each) => each.parts);
  const sent = async (sending: Promise<void>) => {
    await sending;
    if (chat.status === 'error') return 'failed';
    const state = chat.lastMessage?.parts.findLast(({ type }) => type === 'data-state');
    return (state as { data?: { reason?: string } } | undefined)?.data?.reason;
  };
  return {
    chat,
    contact,
    again: () => sent(chat.sendMessage()),
    say: (text: string, id: string) =>
      sent(chat.sendMessage({ id, role: 'user', parts: [{ type: 'text', text }] })),
    edit: (text: string, messageId: string) => sent(chat.sendMessage({ text, messageId })),
    stop: () => chat.stop(),
    resume: () => sent(chat.resumeStream()),
    regenerate: () => sent(chat.regenerate()),
    shown: () => parts().flatMap((part) => (part.type === 'text' ? part.text : [])),
    bubbles: () => chat.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id),
  };
}

async function post(url: string, body: object, headers: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** What a client sends, and whether its conversation rests. */
abstract class PlainClient implements Client {
  abstract readonly contact: string;
  #last = { text: '', id: '' };
  #wake = () => {};

  /** @returns why the message is refused */
  protected abstract send(text: string, id: string): Promise<unknown>;
  /** Why it rests, or a promise of that; undefined while it does not. */
  protected abstract rest(): unknown;
  abstract stop(): void;
  abstract resume(): Promise<unknown>;
  abstract shown(): readonly string[];

  protected change(): void {
    this.#wake();
  }

  protected async rested(): Promise<unknown> {
    for (;;) {
      const changed = new Promise<void>((resolve) => (this.#wake = resolve));
      const rest = await this.rest();
      if (rest !== undefined) return rest;
      await changed;
    }
  }

  async say(text: string, id: string): Promise<unknown> {
    this.#last = { text, id };
    return (await this.send(text, id)) ?? this.rested();
  }

  again(): Promise<unknown> {
    return this.say(this.#last.text, this.#last.id);
  }

  edit(text: string, id: string): Promise<unknown> {
    return this.say(text, id);
  }
}

interface ChatLine {
  readonly id: string;
  readonly from: string;
  readonly text: string;
}

type ChatFrame =
  | { readonly type: 'snapshot'; readonly messages: readonly ChatLine[]; readonly status: string }
  | { readonly type: 'message'; readonly message: ChatLine }
  | { readonly type: 'part'; readonly id: string; readonly text: string; readonly offset: number }
  | { readonly type: 'status'; readonly status: string };

const tokens = new Map<string, string>();

/** The requests of the page of the web chat. Clients of one contact have one session, as the tabs of a browser. */
class WebChatClient extends PlainClient {
  readonly #url: string;
  readonly #name: string;
  #leaving = new AbortController();
  #lines: readonly ChatLine[] = [];
  #drafts = new Map<string, string>();
  #status: string | undefined;
  #sent = '';

  constructor(url: string, contact: string) {
    super();
    this.#url = `${url}/channels/web`;
    this.#name = contact;
    onTestFinished(() => this.#leaving.abort());
  }

  get contact(): string {
    const claims = Buffer.from(tokens.get(this.#name)!.split('.')[1]!, 'base64url').toString();
    return (JSON.parse(claims) as { sub: string }).sub;
  }

  get #headers(): { authorization: string } {
    return { authorization: `Bearer ${tokens.get(this.#name)}` };
  }

  async open(): Promise<this> {
    if (!tokens.has(this.#name)) {
      const session = await post(`${this.#url}/session`, {});
      tokens.set(this.#name, ((await session.json()) as { token: string }).token);
    }
    this.#status = undefined;
    const { signal } = (this.#leaving = new AbortController());
    const stream = await fetch(`${this.#url}/stream`, { headers: this.#headers, signal });
    void this.#read(stream).catch(() => {
      this.#status = 'cut';
      this.change();
    });
    return this;
  }

  async #read(stream: Response): Promise<void> {
    const events = stream
      .body!.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const { data } of events) this.#take(JSON.parse(data) as ChatFrame);
    throw new Error('The stream has ended.');
  }

  #take(frame: ChatFrame): void {
    if (frame.type === 'snapshot') [this.#lines, this.#drafts] = [frame.messages, new Map()];
    if (frame.type === 'message') {
      const { message } = frame;
      this.#lines = [...this.#lines.filter(({ id }) => id !== message.id), message];
      this.#drafts.delete(message.id);
    }
    if (frame.type === 'part') {
      const before = (this.#drafts.get(frame.id) ?? '').slice(0, frame.offset);
      this.#drafts.set(frame.id, before + frame.text);
    }
    if ('status' in frame) this.#status = frame.status;
    this.change();
  }

  protected async send(text: string, id: string): Promise<unknown> {
    this.#sent = id;
    if (this.#status === 'cut') await this.open();
    // The message begins another conversation, whose status comes after it.
    if (this.#status === 'ended') this.#status = undefined;
    const answer = await post(`${this.#url}/messages`, { id: pageId(id), text }, this.#headers);
    return answer.ok ? undefined : ((await answer.json()) as { code: string }).code;
  }

  protected rest(): unknown {
    const status = this.#status;
    if (status === undefined || status === 'cut') return status;
    const own = this.#lines.findLastIndex(({ id }) => id.startsWith(pageId(this.#sent)));
    // The page waits for its message and its answer, or for a notice.
    const isAnswered = own >= 0 && own < this.#lines.length - 1;
    if (status === 'idle') return isAnswered ? status : undefined;
    return own < 0 || ['typing', 'delayed', 'new'].includes(status) ? undefined : status;
  }

  stop(): void {
    this.#leaving.abort();
  }

  async resume(): Promise<unknown> {
    await this.open();
    return this.rested();
  }

  shown(): readonly string[] {
    const said = this.#lines.filter(({ from }) => from !== 'visitor').map(({ text }) => text);
    return [...said, ...this.#drafts.values()];
  }
}

/** The web chat wants ids of eight characters. */
function pageId(id: string): string {
  return `page-${id}`.padEnd(8, '-');
}

export const webChatClient: MakeClient = (url, contact) => new WebChatClient(url, contact).open();

/** An `EventSource` and plain requests. It connects again by itself. */
class EventsClient extends PlainClient {
  readonly contact: string;
  readonly #url: string;
  #source: EventSource;
  #last: string | undefined;
  #instance = '';
  readonly #said: string[] = [];
  #draft = '';

  constructor(url: string, contact: string) {
    super();
    this.#url = url;
    this.contact = contact;
    this.#source = this.#open();
    onTestFinished(() => this.#source.close());
  }

  #open(): EventSource {
    const after = this.#last === undefined ? '' : `&after=${encodeURIComponent(this.#last)}`;
    const source = new EventSource(
      `${this.#url}/events?contact=${this.contact}&parts=true${after}`,
    );
    source.addEventListener('begin', ({ lastEventId }) => this.#keep(lastEventId));
    source.addEventListener('message', ({ data, lastEventId }) => {
      this.#keep(lastEventId);
      const { event } = JSON.parse(data as string) as { event: Record<string, unknown> };
      const { type, text, role } = event;
      if (type === 'message.part')
        this.#draft = this.#draft.slice(0, Number(event['offset'])) + String(text);
      if (type === 'message.sent' || (type === 'message.recorded' && role === 'manual')) {
        this.#said.push(String(text));
        this.#draft = '';
      }
      this.change();
    });
    return source;
  }

  /** Parts of replies have no id. */
  #keep(id: string): void {
    if (id !== '') this.#last = id;
  }

  async opened(): Promise<this> {
    await new Promise((resolve) => this.#source.addEventListener('open', resolve));
    return this;
  }

  protected async send(text: string, id: string): Promise<unknown> {
    if (this.#source.readyState === EventSource.CLOSED) this.#source = this.#open();
    const order = { contact: this.contact, text, id, orStart: { definition: 'intake' } };
    const answer = await post(`${this.#url}/messages`, order);
    const { instance, code } = (await answer.json()) as { instance: string; code?: string };
    if (!answer.ok && code !== 'message/repeated') return code;
    this.#instance = instance;
    return undefined;
  }

  protected async rest(): Promise<unknown> {
    const get = async (id: string) => {
      const answer = await fetch(`${this.#url}/instances/${id}`);
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as InstanceView;
    };
    if (this.#source.readyState === EventSource.CLOSED) return 'closed';
    // After a cut or a restart, the next event is the next chance.
    return get(this.#instance)
      .then((view) => restOf({ get }, view))
      .catch(() => undefined);
  }

  stop(): void {
    this.#source.close();
    this.change();
  }

  resume(): Promise<unknown> {
    return this.rested();
  }

  shown(): readonly string[] {
    return this.#draft === '' ? this.#said : [...this.#said, this.#draft];
  }
}

export const eventsClient: MakeClient = (url, contact) => new EventsClient(url, contact).opened();

/** The client of the MCP SDK. It gets whole replies, and calls again with the same key what was not answered. */
export async function mcpClient(url: string, contact: string): Promise<Client> {
  const replies = new Map<string, readonly string[]>();
  const messages = new Map<string, string>();
  let stopping = new AbortController();
  const connected = async () => {
    const made = new McpSdkClient({ name: 'test', version: '1' });
    await made.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    onTestFinished(() => made.close());
    return made;
  };
  let client = await connected();
  const ask = async (key: string): Promise<unknown> => {
    const { signal } = (stopping = new AbortController());
    const input = { contact, message: messages.get(key), key, waitMs: 50_000 };
    const call = { name: 'start_intake', arguments: input };
    try {
      const { content, isError } = await client.callTool(call, undefined, { signal });
      const [{ text }] = content as [{ text: string }];
      if (isError === true) return text;
      const answer = JSON.parse(text) as Record<string, unknown>;
      if (answer['accepted'] === false) return answer['code'];
      replies.set(key, answer['replies'] as readonly string[]);
      return answer['ended'] === true
        ? 'ended'
        : answer['isWorking'] === true
          ? 'works'
          : answer['state'];
    } catch (error) {
      // Another server process does not know the session.
      if ((error as { code?: unknown }).code !== 404) return 'failed';
      client = await connected();
      return ask(key);
    }
  };
  const askAll = async (keys: Iterable<string>): Promise<unknown> => {
    let ending: unknown;
    for (const key of keys) ending = await ask(key);
    return ending;
  };
  const say = (message: string, key: string) => {
    messages.set(key, message);
    return askAll([...messages.keys()].filter((each) => each === key || !replies.has(each)));
  };
  return {
    contact,
    say,
    edit: say,
    again: () => ask([...messages.keys()].at(-1)!),
    resume: () => askAll(messages.keys()),
    stop: () => stopping.abort(),
    shown: () => [...messages.keys()].flatMap((key) => replies.get(key) ?? []),
  };
}
