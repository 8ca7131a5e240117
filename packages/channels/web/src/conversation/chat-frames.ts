import { isRecord, type JsonObject } from '@dramaturg/compiler';
import {
  type ChannelConversation,
  HostError,
  type HostEvent,
  type InstanceSummary,
  type InstanceView,
  type Role,
  type TranscriptLine,
} from '@dramaturg/host';
import { type ChannelHost, receiveEdited, restOf } from '@dramaturg/host/channel';
import { ChatError } from '../http/chat-error.ts';
import type {
  Author,
  ChatFrame,
  ChatLink,
  ChatMessage,
  ChatStatus,
  HistoryAnswer,
  KeptFile,
  MessageAnswer,
  SentFile,
} from '../protocol.ts';

/** Lines of the host itself are not for visitors. */
const authors: Readonly<Partial<Record<Role, Author>>> = {
  contact: 'visitor',
  agent: 'agent',
  manual: 'person',
};

/** The message that a visitor sees of a line. @returns undefined when it is not for visitors */
function messageOfLine(
  conversation: string,
  { id, role, text, at, data, delivery }: TranscriptLine,
): ChatMessage | undefined {
  const from = authors[role];
  if (from === undefined) return undefined;
  const { links, files } = attachmentsIn(data);
  const replaces = role === 'contact' ? data?.['replaces'] : undefined;
  return {
    id,
    conversation,
    from,
    text,
    at,
    ...(links.length > 0 && { links }),
    ...(files.length > 0 && { files }),
    ...(typeof replaces === 'string' && { replaces }),
    ...(delivery?.status === 'read' && { isRead: true }),
  };
}

/** The attachments of a message. They come from outside: the page follows only addresses of the web. */
function attachmentsIn(data: JsonObject | undefined): Attachments {
  const given = data?.['attachments'];
  const links: ChatLink[] = [];
  const files: KeptFile[] = [];
  for (const each of Array.isArray(given) ? (given as readonly unknown[]) : []) {
    if (!isRecord(each)) continue;
    const name = typeof each['name'] === 'string' ? each['name'] : '';
    const isRefused = each['refused'] !== undefined;
    if (typeof each['url'] === 'string') links.push({ url: each['url'], name });
    else if (isRefused || each['key'] !== undefined)
      files.push({ name, ...(isRefused && { isRefused }) });
  }
  return { links, files };
}

interface Attachments {
  readonly links: readonly ChatLink[];
  readonly files: readonly KeptFile[];
}

/** Maximum number of a contact's conversations that are read, the latest ones. */
const conversationsMax = 20;

/** Number of lines that are read at once. */
const pageLength = 500;

/**
 * The latest messages of a contact, the oldest first.
 *
 * @param limit the largest number of messages
 * @param lengths gets the numbers of lines of the conversations that were read
 */
export async function readHistory(
  host: ChannelHost,
  contact: string,
  limit: number,
  lengths = new Map<string, number>(),
): Promise<HistoryAnswer> {
  const conversations = (await conversationsOf(host, contact)).slice(-conversationsMax);
  let messages: readonly ChatMessage[] = [];
  // From the latest one, until there are enough. One more than shown means that there are earlier ones.
  for (const { id } of conversations.toReversed()) {
    if (messages.length > limit) break;
    const { transcriptLength } = await host.get(id);
    lengths.set(id, transcriptLength);
    messages = merged(await lastMessages(host, id, transcriptLength, limit + 1), messages);
  }
  return { messages: messages.slice(-limit), hasEarlier: messages.length > limit };
}

async function lastMessages(
  host: ChannelHost,
  id: string,
  transcriptLength: number,
  count: number,
): Promise<ChatMessage[]> {
  const found: ChatMessage[] = [];
  for (let end = transcriptLength; end > 0 && found.length < count; end -= pageLength) {
    const from = Math.max(0, end - pageLength);
    const lines: readonly TranscriptLine[] = await host.transcript(id, { from, limit: end - from });
    found.unshift(...lines.flatMap((line) => messageOfLine(id, line) ?? []));
  }
  return found.slice(-count);
}

/**
 * Conversations of one contact can overlap, when one has called the other as an agent. The lines of each keep their order,
 * because the clocks of several hosts may differ.
 */
function merged(
  one: readonly ChatMessage[],
  other: readonly ChatMessage[],
): readonly ChatMessage[] {
  const result: ChatMessage[] = [];
  let [first, second] = [0, 0];
  while (first < one.length && second < other.length)
    result.push(one[first]!.at <= other[second]!.at ? one[first++]! : other[second++]!);
  return [...result, ...one.slice(first), ...other.slice(second)];
}

/** Number of messages at the beginning of a stream. */
const firstMessages = 50;

/** Events after which the status of the conversation may be another one. */
const changesStatus = new Set([
  'state.entered',
  'instance.ended',
  'turn.attempt.failed',
  'turn.started',
  'decision.requested',
  'decision.made',
]);

/** The present conversation of a contact, then each change. Frames contain only what visitors may see: texts, and the status. */
export async function* chatFrames(
  host: ChannelHost,
  contact: string,
  signal: AbortSignal,
): AsyncGenerator<ChatFrame, void> {
  // Events are subscribed to before the snapshot is read: a message may be in both, but none is missing.
  const events = host.events({ contact, parts: true, signal });
  let status = await readStatus(host, contact);
  const lengths = new Map<string, number>();
  const history = await readHistory(host, contact, firstMessages, lengths);
  yield { type: 'snapshot', ...history, status };
  for await (const { instance, source, event } of events as AsyncIterable<HostEvent>) {
    const { type, key, text, offset } = event;
    const isPart = type === 'message.part' && source === 'host';
    if (isPart) yield { type: 'part', id: String(key), text: String(text), offset: Number(offset) };
    else if (type.startsWith('message.')) yield* newMessages(host, instance, lengths);
    // The reply of an erased conversation is withdrawn, and no other event comes.
    if (isPart ? text !== '' : !changesStatus.has(type)) continue;
    const now = await readStatus(host, contact);
    if (now === status) continue;
    status = now;
    yield { type: 'status', status };
  }
}

/** Messages that a conversation has since it was read last. @param lengths the numbers of lines that were read */
async function* newMessages(
  host: ChannelHost,
  instance: string,
  lengths: Map<string, number>,
): AsyncGenerator<ChatFrame, void> {
  const { transcriptLength } = await host.get(instance);
  for (let from = lengths.get(instance) ?? 0; from < transcriptLength; from += pageLength) {
    const limit = Math.min(pageLength, transcriptLength - from);
    for (const line of await host.transcript(instance, { from, limit })) {
      const message = messageOfLine(instance, line);
      if (message) yield { type: 'message', message };
    }
  }
  lengths.set(instance, transcriptLength);
}

/** The status of a contact's conversation. */
async function readStatus(host: ChannelHost, contact: string): Promise<ChatStatus> {
  const open = await conversationsOf(host, contact, { ended: false });
  const views = await Promise.all(open.map(({ id }) => host.get(id)));
  const view = views.find(({ holdsContact }) => holdsContact) ?? views.at(-1);
  if (view) return statusOf(host, view);
  const { items } = await host.list({ contact }, { limit: 1 });
  return items.length === 0 ? 'new' : 'ended';
}

async function statusOf(host: ChannelHost, view: InstanceView): Promise<ChatStatus> {
  const rest = await restOf(host, view);
  if (rest === 'answered' || rest === 'waits' || view.state === 'QUEUED') return 'idle';
  if (rest !== undefined) return 'person';
  return view.waits.some((wait) => wait.for === 'retry') ? 'delayed' : 'typing';
}

interface VisitorMessage {
  /** Made by the page. A message that is sent again has the same id. */
  readonly id: string;
  readonly text: string;
  readonly files: readonly SentFile[];
}

/** The destination of a visitor's messages. */
export interface Destination {
  readonly host: ChannelHost;
  /** The name of the channel, for the replies. */
  readonly channel: string;
  readonly contact: string;
  /** The conversation that the first message starts. */
  readonly conversation: ChannelConversation;
}

/**
 * Gives a message to the conversation of its visitor, and starts one if there is none. A message that is sent again is accepted
 * again, and an edited one is a new one.
 *
 * @returns with the id under which the message is stored
 * @throws ChatError 409 when the conversation refuses the message for good, 429 when it may be sent again later
 */
export async function receiveMessage(
  { host, channel, contact, conversation }: Destination,
  { id, text, files }: VisitorMessage,
): Promise<MessageAnswer> {
  const routed = await refusedAsProblem(() =>
    receiveEdited(host, {
      contact,
      id,
      text,
      ...(files.length > 0 && { data: { attachments: files.map((file) => ({ ...file })) } }),
      orStart: { ...conversation, channel },
    }),
  );
  if (routed.accepted || routed.code === 'message/repeated') return { id: routed.id };
  const { code, because, retryAfterMs } = routed;
  throw new ChatError(retryAfterMs === undefined ? 409 : 429, code, because, { retryAfterMs });
}

/**
 * Starts the conversation of a visitor who has none, so that the agent speaks first. Several pages that open at the same time start one.
 */
export async function openConversation({
  host,
  channel,
  contact,
  conversation: { definition, ...options },
}: Destination): Promise<void> {
  const before = await conversationsOf(host, contact);
  if (before.some(({ ended }) => !ended)) return;
  const id = `${contact}:${before.length}`;
  await refusedAsProblem(() =>
    host.start(definition, { ...options, id, once: true, contact, channel }),
  );
}

async function refusedAsProblem<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof HostError) || cause.code !== 'host/message-refused') throw cause;
    throw new ChatError(409, cause.code, cause.message, { cause });
  }
}

/** The conversations of a contact, the oldest first. @param filter `ended: false` for those that have not ended */
async function conversationsOf(
  host: Pick<ChannelHost, 'list'>,
  contact: string,
  filter: { readonly ended?: boolean } = {},
): Promise<readonly InstanceSummary[]> {
  const found: InstanceSummary[] = [];
  for (let after: string | undefined; ;) {
    const request = { limit: 1_000, ...(after !== undefined && { after }) };
    const { items, next } = await host.list({ contact, ...filter }, request);
    found.push(...items);
    if (next === undefined) return found;
    after = next;
  }
}
