import { protectSecret } from '@dramaturg/compiler/secrets';
import type { HttpChannel, OutgoingMessage } from '@dramaturg/host';
import { askProvider, deliveryError, jsonObjectIn, refused } from '@dramaturg/host/channel';
import { handleEvent } from './handle-event.ts';
import { isSigned, requireSecrets, signedHeaders } from './signatures.ts';

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
