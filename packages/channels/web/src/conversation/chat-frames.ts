import type { HostEvent } from '@dramaturg/host';
import type { ChatFrame } from '../protocol.ts';
import { messageOfEvent } from './chat-message.ts';
import { readHistory } from './chat-history.ts';
import { readStatus } from './chat-status.ts';
import type { ChannelHost } from '@dramaturg/host/channel';

/** How many messages a stream begins with. */
const firstMessages = 50;

/** Events after which the conversation may do something else. */
const changesStatus = new Set([
  'state.entered',
  'instance.ended',
  'turn.attempt.failed',
  'turn.started',
  'decision.requested',
  'decision.made',
]);

/**
 * The conversation of a contact as it is, then what happens to it. Only what visitors may see is in the frames: texts, and what the
 * conversation does.
 */
export async function* chatFrames(
  host: ChannelHost,
  contact: string,
  signal: AbortSignal,
): AsyncGenerator<ChatFrame, void> {
  // The events begin before the snapshot is read: a message may be in both, and none is missing.
  const events = host.events({ contact, parts: true, signal });
  let status = await readStatus(host, contact);
  const history = await readHistory(host, contact, firstMessages);
  yield { type: 'snapshot', ...history, status };
  for await (const event of events as AsyncIterable<HostEvent>) {
    const frame = frameOf(event);
    if (frame) yield frame;
    if (!changesStatus.has(event.event.type)) continue;
    const now = await readStatus(host, contact);
    if (now === status) continue;
    status = now;
    yield { type: 'status', status };
  }
}

function frameOf(happened: HostEvent): ChatFrame | undefined {
  const { source, event } = happened;
  const { type, key, text, offset } = event;
  if (type === 'message.part' && source === 'host')
    return { type: 'part', id: String(key), text: String(text), offset: Number(offset) };
  const message = messageOfEvent(happened);
  return message && { type: 'message', message };
}
