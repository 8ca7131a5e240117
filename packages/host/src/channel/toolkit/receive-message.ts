import { DramaturgError, type JsonObject } from '@dramaturg/compiler';
import { longestMessage } from '@dramaturg/compiler/machine';
import { attachmentsMax, attachmentText } from '../../attachments/attachment-files.ts';
import { HostError } from '../../errors.ts';
import type { ChannelContext } from '../http-channel.ts';
import { receiveEdited } from './receive-edited.ts';
import { splitText } from './split-text.ts';

/** A message as a provider has sent it. */
export interface InboundMessage {
  readonly contact: string;
  readonly text: string;
  /** The provider's id of the message. */
  readonly id: string;
  /** When the person has sent it, in milliseconds since 1970 UTC. */
  readonly sentAt?: number | undefined;
  /** The message that it quotes or whose button it is: the id that the host gave it, or its text. */
  readonly replyTo?: string | undefined;
  /** Tells an edit of the message from other ones, such as its time. Absent for a message that was not edited. */
  readonly edit?: string | undefined;
  readonly attachments?: readonly Attachment[];
  /** More data of the message. */
  readonly data?: JsonObject;
}

/** A file that the person has sent. It stays with the provider. */
export interface Attachment {
  /** The address to fetch it from, perhaps with the credentials of the channel. */
  readonly url?: string;
  /** The provider's id of the file. */
  readonly id?: string;
  readonly type?: string;
  readonly name?: string;
  /** The size in bytes. */
  readonly size?: number;
}

/** A smaller number is not a time in milliseconds. */
const millisecondsMin = 1e12;

const longestField = 4_000;
/** The largest number of characters of the attachments in the data of a message, as JSON. */
const attachmentsLength = 24_000;

export interface ReceiveOptions {
  /** Answers a message that is refused for good. By default it is acknowledged: a provider would only repeat it. */
  readonly onRefused?: (because: string) => Response;
  /** Whether a message whose contact no instance holds may be for another system. It is then not reported. */
  readonly mayBeForOthers?: boolean;
}

/**
 * Gives a message to the host, and answers the provider once the message is stored (H1). A message that the host refuses for good
 * is reported to the operator of the host; a message that it may accept later is answered 503. A text that is too long for one
 * message is received as several messages.
 */
export async function receiveMessage(
  { name, host, orStart }: ChannelContext,
  { contact, id, sentAt, replyTo, edit, ...inbound }: InboundMessage,
  { onRefused = acknowledged, mayBeForOthers = false }: ReceiveOptions = {},
): Promise<Response> {
  const { text, data } = contentOf(inbound);
  const doing = `receiving the message ${JSON.stringify(id.slice(0, 200))} through ${name}`;
  const parts = splitText(text === '' ? '[no text]' : text, { max: longestMessage });
  for (const [index, part] of parts.entries()) {
    const isFirst = index === 0;
    try {
      const order = {
        contact,
        channel: name,
        text: part,
        id: isFirst ? id : `${id}/${index + 1}`,
        ...(sentAt !== undefined && sentAt > millisecondsMin && { sentAt }),
        ...(replyTo && { replyTo }),
        ...(isFirst && data && { data }),
        ...(orStart ? { orStart: { ...orStart, channel: name } } : {}),
      };
      const routed = await (edit === undefined
        ? host.receive(order)
        : receiveEdited(host, order, edit));
      if (routed.accepted || routed.code === 'message/repeated') continue;
      if (routed.retryAfterMs !== undefined) return tryLater(routed.retryAfterMs);
      const { code, because } = routed;
      if (mayBeForOthers && code === 'host/no-holder') return acknowledged();
      host.reportError(new RefusedMessageError(code, because), doing);
      return code === 'message/other-content' ? acknowledged() : onRefused(because);
    } catch (error) {
      const isRefused =
        error instanceof HostError &&
        ['host/message-refused', 'host/bad-request'].includes(error.code);
      if (!isRefused) throw error;
      host.reportError(error, doing);
      return onRefused(error.message);
    }
  }
  return acknowledged();
}

/** The content of a message for the host: a conversation answers text, and files are links in the data. */
export function contentOf({
  text,
  attachments = [],
  data = {},
}: Pick<InboundMessage, 'text' | 'attachments' | 'data'>): {
  readonly text: string;
  readonly data?: JsonObject;
} {
  const files: JsonObject[] = [];
  let length = 0;
  for (const file of attachments.slice(0, attachmentsMax).map(withinLimits)) {
    // A file inside of the message is for the host, which keeps it or refuses the message.
    length += JSON.stringify(isInside(file) ? { ...file, url: '' } : file).length;
    if (length <= attachmentsLength) files.push(file);
  }
  const omitted = attachments.length - files.length;
  const all = {
    ...data,
    ...(files.length > 0 && { attachments: files }),
    ...(omitted > 0 && { attachmentsOmitted: omitted }),
  };
  return {
    text: text.trim() === '' && attachments.length > 0 ? attachmentText(attachments) : text,
    ...(Object.keys(all).length > 0 && { data: all }),
  };
}

/** The host has not kept a message. */
class RefusedMessageError extends DramaturgError {
  override readonly name = 'RefusedMessageError';
}

export function acknowledged(): Response {
  return new Response(null, { status: 200 });
}

/** Answers a request that the channel does not accept. */
export function refused(status: 400 | 401 | 403 | 404 | 405 | 422, reason: string): Response {
  return new Response(`${reason}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}

function tryLater(retryAfterMs: number): Response {
  const seconds = `${Math.ceil(retryAfterMs / 1_000)}`;
  return new Response(null, { status: 503, headers: { 'retry-after': seconds } });
}

function withinLimits(attachment: Attachment): JsonObject {
  const fields = Object.entries(attachment).filter(
    ([name, value]) =>
      typeof value === 'number' ||
      String(value).length <= longestField ||
      (name === 'url' && isInside(attachment)),
  );
  return Object.fromEntries(fields);
}

function isInside({ url }: { readonly url?: unknown }): boolean {
  return typeof url === 'string' && url.startsWith('data:');
}
