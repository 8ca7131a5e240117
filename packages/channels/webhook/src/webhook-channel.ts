import { protectSecret } from '@dramaturg/compiler/secrets';
import type { ChannelContext, HttpChannel, OutgoingMessage } from '@dramaturg/host';
import {
  acknowledged,
  askProvider,
  deliveryError,
  jsonObjectIn,
  receiveMessage,
  refused,
  reportDelivery,
} from '@dramaturg/host/channel';
import { isSigned, requireSecrets, signedHeaders } from './signatures.ts';
import type { JsonObject } from '@dramaturg/compiler';
import * as z from 'zod';

export interface WebhookChannelOptions {
  /** The address to which messages are posted. */
  readonly url: string;
  /**
   * The secret that both sides sign with: `whsec_` and base64. While it is being replaced, the new one and the old one: requests are signed
   * with both, and either is accepted.
   */
  readonly secret: string | readonly string[];
}

const provider = 'The webhook';

/**
 * A channel that posts signed messages to your program and receives signed messages from it. Spec: Standard Webhooks;
 * docs/channels.md
 *
 * @throws TypeError when a secret or the URL is malformed
 */
export function webhookChannel({ url, secret }: WebhookChannelOptions): HttpChannel {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  secrets.forEach(protectSecret);
  requireSecrets(secrets);
  if (!URL.canParse(url)) throw new TypeError('The URL of the webhook is not a URL.');
  return {
    deliver: async (message, { signal }) => {
      const body = JSON.stringify(eventOf(message));
      const headers = signedHeaders(secrets, headerOf(message.id), body);
      const answer = await askProvider(provider, url, { method: 'POST', headers, body, signal });
      const { status } = answer;
      // A 409 means that the receiver already has the message.
      if ((status >= 200 && status < 300) || status === 409) return;
      throw deliveryError({ provider, ...answer, reason: reasonIn(answer.text) });
    },
    handle: async (request, context) => {
      if (request.method !== 'POST') return refused(405, 'Post an event.');
      const body = await request.text();
      if (!isSigned(secrets, request.headers, body))
        return refused(401, 'The signature is missing, wrong, or older than five minutes.');
      const event = jsonObjectIn(body);
      return event
        ? handleEvent(event, request.headers.get('webhook-id')!, context)
        : refused(400, 'The body is not a JSON object.');
    },
  };
}

function eventOf({ at, ...message }: OutgoingMessage): object {
  const timestamp = new Date(at).toISOString();
  return { type: 'message.sent', timestamp, data: { ...message, at } };
}

/** The signed string has full stops between its parts, and a header has ASCII characters only. */
function headerOf(id: string): string {
  const wellFormed = Buffer.from(id).toString();
  return encodeURIComponent(wellFormed).replaceAll('.', '%2E');
}

/** The reason that a receiver may give, as Problem Details or in a field `error`. */
function reasonIn(text: string): string | undefined {
  const { detail, error } = jsonObjectIn(text) ?? {};
  const reason = detail ?? error;
  return typeof reason === 'string' ? reason.replace(/\.$/, '') : undefined;
}

const text = z.string().min(1).max(1_000);
/** Any length: a long one is hashed. */
const messageId = z.string().min(1);

const attachment = z.object({
  url: z.url().max(4_000).exactOptional(),
  id: text.exactOptional(),
  type: text.exactOptional(),
  name: text.exactOptional(),
  size: z.number().nonnegative().exactOptional(),
});

/** The events that the channel knows. Spec: docs/channels.md#signed-webhooks */
const events = {
  'message.received': z.object({
    contact: text,
    text: z.string(),
    /** Default: the header `webhook-id`. */
    id: messageId.exactOptional(),
    /** Milliseconds since 1970 UTC. */
    sentAt: z.int().positive().exactOptional(),
    replyTo: z.string().max(100_000).exactOptional(),
    attachments: z.array(attachment).max(20).exactOptional(),
    data: (z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>).exactOptional(),
  }),
  'delivery.reported': z.object({
    instance: text,
    message: text,
    status: z.enum(['delivered', 'read', 'failed']),
    reason: z.string().exactOptional(),
  }),
} as const;

/** Answers an event that was signed. Events of other types are acknowledged. */
async function handleEvent(
  { type, data }: Readonly<Record<string, unknown>>,
  webhookId: string,
  context: ChannelContext,
): Promise<Response> {
  if (type === 'message.received') {
    const message = events[type].safeParse(data);
    if (!message.success) return malformed(type, message.error);
    return receiveMessage(
      context,
      { id: webhookId, ...message.data },
      { onRefused: (because) => refused(422, because) },
    );
  }
  if (type === 'delivery.reported') {
    const report = events[type].safeParse(data);
    if (!report.success) return malformed(type, report.error);
    return reportDelivery(context, report.data);
  }
  return typeof type === 'string' ? acknowledged() : refused(400, 'The event has no "type".');
}

function malformed(type: string, { issues }: z.ZodError): Response {
  const [{ path, message } = { path: [], message: '' }] = issues;
  return refused(400, `The data of "${type}" is wrong at "${path.join('.')}": ${message}.`);
}
