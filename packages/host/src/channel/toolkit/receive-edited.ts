import type { ReceivedMessage } from '../../host/host.ts';
import { lastLine } from '../../host/last-line.ts';
import { digestOf, messageIdOf } from '../../host/message-id.ts';
import type { Routed } from '../../host/routed.ts';
import type { TranscriptLine } from '../../instance/event.ts';
import type { ChannelHost } from '../http-channel.ts';

type EditedMessage = Pick<ReceivedMessage, 'text' | 'data'> & { readonly id: string };

/** The host of a channel or of a front end. */
interface ReceivingHost<Message> extends Pick<ChannelHost, 'transcript'> {
  readonly get: (id: string) => Promise<{ readonly transcriptLength: number }>;
  readonly receive: (message: Message) => Promise<Routed>;
}

/**
 * Receives a message that its sender may have edited. An edited message is a new one, and `replaces` in its data is the id of the
 * first. A message whose text and files are those of its last edit is repeated.
 *
 * @param edit tells edits of the message from each other, such as their time. By default an edit follows the last one.
 * @returns with the id under which the message is stored
 */
export async function receiveEdited<Message extends EditedMessage>(
  host: ReceivingHost<Message>,
  message: Message,
  edit?: string,
): Promise<Routed & { readonly id: string }> {
  const id = await messageIdOf(message.id);
  const routed = await host.receive({ ...message, id });
  if (routed.accepted || routed.instance === null || !knownCodes.has(routed.code))
    return { ...routed, id };
  const { instance } = routed;
  const last = await lastLine(
    (range) => host.transcript(instance, range),
    (await host.get(instance)).transcriptLength,
    ({ role, id: own, data }) => role === 'contact' && (own === id || data?.['replaces'] === id),
  );
  if (routed.code === 'message/repeated' && last?.line.id === id) return { ...routed, id };
  const content = contentOf(message);
  if (last && contentOf(last.line) === content)
    return { ...routed, code: 'message/repeated', id: last.line.id };
  const digest = await digestOf(JSON.stringify([content, edit ?? last?.line.id]));
  const own = `${id.slice(0, 100)}~${digest.slice(0, 32)}`;
  const data = { ...message.data, replaces: id };
  return { ...(await host.receive({ ...message, id: own, data })), id: own };
}

const knownCodes: ReadonlySet<string> = new Set(['message/repeated', 'message/other-content']);

/** Other fields of a message belong to its page, and other fields of a file to the host that keeps it. */
function contentOf({ text, data }: Pick<TranscriptLine, 'text' | 'data'>): string {
  const files = data?.['attachments'];
  if (!Array.isArray(files)) return JSON.stringify([text]);
  const named = files.map((file: Readonly<Record<string, unknown>> | null) => {
    const { id, name, url } = file ?? {};
    return [id, name, String(url).startsWith('data:') ? undefined : url];
  });
  return JSON.stringify([text, named]);
}
