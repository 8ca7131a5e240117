import type { TranscriptLine } from '@dramaturg/host';
import type { ChatMessage, HistoryAnswer } from '../protocol.ts';
import { messageOfLine } from './chat-message.ts';
import { conversationsOf } from './conversations-of.ts';
import type { ChannelHost } from '@dramaturg/host/channel';

/** How many of a contact's conversations are read at most, the latest ones. */
const conversationsMax = 20;

/** How many lines are read at once. */
const pageLength = 500;

/** The latest messages of a contact, the oldest first. @param limit the largest number of messages */
export async function readHistory(
  host: ChannelHost,
  contact: string,
  limit: number,
): Promise<HistoryAnswer> {
  const conversations = (await conversationsOf(host, contact)).slice(-conversationsMax);
  let messages: readonly ChatMessage[] = [];
  // From the latest one, until there are enough: one more message than shown tells that there are earlier ones.
  for (const { id } of conversations.toReversed()) {
    if (messages.length > limit) break;
    messages = merged(await lastMessages(host, id, limit + 1), messages);
  }
  return { messages: messages.slice(-limit), hasEarlier: messages.length > limit };
}

async function lastMessages(host: ChannelHost, id: string, count: number): Promise<ChatMessage[]> {
  const { transcriptLength } = await host.get(id);
  const found: ChatMessage[] = [];
  for (let end = transcriptLength; end > 0 && found.length < count; end -= pageLength) {
    const from = Math.max(0, end - pageLength);
    const lines: readonly TranscriptLine[] = await host.transcript(id, { from, limit: end - from });
    found.unshift(...lines.flatMap((line) => messageOfLine(id, line) ?? []));
  }
  return found.slice(-count);
}

/**
 * Conversations of one contact can overlap, when one has called the other as an agent. The lines of each stay in their order: the
 * clocks of several hosts may differ.
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
