import { HostError } from '@dramaturg/host';
import type { ChannelHost } from '@dramaturg/host/channel';
import { ChatError } from '../http/chat-error.ts';

/** How many lines from the end are searched for the message. A page reports the latest message that it shows. */
const linesMax = 200;

export interface ReadMessage {
  readonly conversation: string;
  readonly id: string;
}

/**
 * Reports that the visitor has seen a message, and so all before it.
 *
 * @throws ChatError with the status 404 when this visitor has not got the message
 */
export async function reportRead(
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
