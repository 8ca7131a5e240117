import { type ChannelConversation, HostError } from '@dramaturg/host';
import type { ChannelHost } from '@dramaturg/host/channel';
import { ChatError } from '../http/chat-error.ts';
import { conversationsOf } from './conversations-of.ts';

export interface VisitorMessage {
  /** Made by the page. A message that is sent again has the same id. */
  readonly id: string;
  readonly text: string;
}

/** Where the messages of a visitor go. */
export interface Destination {
  readonly host: ChannelHost;
  /** The name of the channel, for the replies. */
  readonly channel: string;
  readonly contact: string;
  /** What the first message starts. */
  readonly conversation: ChannelConversation;
}

/**
 * Hands a message to the conversation of its visitor, and starts one if there is none. A message that is sent again is accepted again.
 *
 * @throws ChatError 409 when the conversation refuses the message for good, 429 when it is accepted later
 */
export async function receiveMessage(
  { host, channel, contact, conversation }: Destination,
  { id, text }: VisitorMessage,
): Promise<void> {
  const routed = await refusedAsProblem(() =>
    host.receive({ contact, id, text, orStart: { ...conversation, channel } }),
  );
  if (routed.accepted || routed.code === 'message/repeated') return;
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
