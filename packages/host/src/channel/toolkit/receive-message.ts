import type { JsonObject } from '@dramaturg/compiler';
import { HostError } from '../../errors.ts';
import type { ChannelContext } from '../http-channel.ts';

/** A message as a provider has sent it. */
export interface InboundMessage {
  readonly contact: string;
  readonly text: string;
  /** The provider's own. */
  readonly id: string;
  /** When the person has sent it, in milliseconds since 1970 UTC. */
  readonly sentAt?: number | undefined;
  /** The message that it quotes or whose button it is: the id that the host gave it, or its text. */
  readonly replyTo?: string | undefined;
  readonly attachments?: readonly Attachment[];
  /** More data of the message. */
  readonly data?: JsonObject;
}

/** A file that the person has sent. It stays with the provider. */
export interface Attachment {
  /** Where it can be fetched, perhaps with the credentials of the channel. */
  readonly url?: string;
  /** The provider's id of the file. */
  readonly id?: string;
  readonly type?: string;
  readonly name?: string;
  /** In bytes. */
  readonly size?: number;
}

/** A smaller number is not a time in milliseconds. */
const millisecondsMin = 1e12;

const attachmentsMax = 20;
const longestField = 1_000;

/**
 * Gives a message to the host, and answers the provider once the message is stored (H1). A message that the host refuses for good
 * is answered 200 too, because the provider would only repeat it, and reported to the operator of the host; one that it may accept later is answered 503.
 */
export async function receiveMessage(
  { name, host, orStart }: ChannelContext,
  { contact, text, id, sentAt, replyTo, attachments = [], data = {} }: InboundMessage,
): Promise<Response> {
  const files = attachments.slice(0, attachmentsMax).map(withinLimits);
  const all = { ...data, ...(files.length > 0 ? { attachments: files } : {}) };
  try {
    const routed = await host.receive({
      contact,
      channel: name,
      // A conversation answers texts.
      text: text === '' ? attachmentText(attachments) : text,
      id,
      ...(sentAt !== undefined && sentAt > millisecondsMin && { sentAt }),
      ...(replyTo && { replyTo }),
      ...(Object.keys(all).length > 0 ? { data: all } : {}),
      ...(orStart ? { orStart: { ...orStart, channel: name } } : {}),
    });
    if (routed.instance === null || routed.accepted || routed.retryAfterMs === undefined)
      return acknowledged();
    return tryLater(routed.retryAfterMs);
  } catch (error) {
    const isRefused =
      error instanceof HostError &&
      ['host/message-refused', 'host/bad-request'].includes(error.code);
    if (!isRefused) throw error;
    host.reportError(error, `receiving the message ${JSON.stringify(id)} through ${name}`);
    return acknowledged();
  }
}

export function acknowledged(): Response {
  return new Response(null, { status: 200 });
}

/** Answers a request that the channel does not accept. */
export function refused(status: 400 | 401 | 403 | 404 | 405, reason: string): Response {
  return new Response(`${reason}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}

function tryLater(retryAfterMs: number): Response {
  const seconds = `${Math.ceil(retryAfterMs / 1_000)}`;
  return new Response(null, { status: 503, headers: { 'retry-after': seconds } });
}

function attachmentText(attachments: readonly Attachment[]): string {
  const names = attachments.map(({ name, type }) => (name ?? type ?? 'file').slice(0, 100));
  return names.length === 0 ? '[no text]' : `[${names.slice(0, attachmentsMax).join(', ')}]`;
}

function withinLimits(attachment: Attachment): JsonObject {
  const fields = Object.entries(attachment).filter(
    ([, value]) => typeof value === 'number' || String(value).length <= longestField,
  );
  return Object.fromEntries(fields);
}
