import { protectSecret } from '@dramaturg/compiler/secrets';
import { RejectedError } from '@dramaturg/host';
import type { ChannelContext, HttpChannel } from '@dramaturg/host';
import {
  askProvider,
  isSameText,
  jsonObjectIn,
  refused,
  SentParts,
  splitText,
  usualQuietWindow,
} from '@dramaturg/host/channel';
import { contactKey } from './contacts.ts';
import { handleForm } from './handle-form.ts';
import { limitOf } from './segments.ts';
import { signatureOf } from './signature.ts';
import { errorOf } from './twilio-errors.ts';

export interface TwilioOptions {
  /** `AC...` */
  readonly accountSid: string;
  /** Also signs what Twilio sends. */
  readonly authToken: string;
  /** The number that sends SMS, or the id of a messaging service: `+15557122661` or `MG...`. */
  readonly from?: string;
  /** The number that sends WhatsApp messages: `+14155238886`. */
  readonly whatsappFrom?: string;
  /** The public address of the channel, which Twilio signs: `https://desk.example.com/channels/twilio`. */
  readonly url: string;
  /** The API. Another address is for tests. */
  readonly apiUrl?: string;
}

const provider = 'Twilio';

/**
 * A channel for SMS and WhatsApp. A contact is a number, `+56912345678`, or for WhatsApp `whatsapp:+56912345678`.
 * Spec: Twilio Programmable Messaging; docs/channels.md
 *
 * @throws TypeError when the address is not one, or no sender is given
 */
export function twilioChannel(options: TwilioOptions): HttpChannel {
  const { accountSid, authToken, apiUrl = 'https://api.twilio.com' } = options;
  protectSecret(authToken);
  if (!URL.canParse(options.url)) throw new TypeError('The URL of the channel is not a URL.');
  if (options.from === undefined && options.whatsappFrom === undefined)
    throw new TypeError('Twilio needs a sender: "from" for SMS, or "whatsappFrom".');
  const url = options.url.replace(/\/$/, '');
  const sentParts = new SentParts();
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  const post = async (fields: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const path = `/2010-04-01/Accounts/${accountSid}/Messages.json`;
    const answer = await askProvider(provider, apiUrl + path, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(fields),
      signal,
    });
    const body = jsonObjectIn(answer.text);
    if (answer.status !== 201 || typeof body?.['sid'] !== 'string') throw errorOf(answer, body);
  };
  return {
    settle: usualQuietWindow,
    contactKey,
    hasCarrierWords: true,
    deliver: async ({ id, instance, contact, text }, { signal }) => {
      const to = contactKey(contact ?? '');
      const isWhatsApp = to.startsWith('whatsapp:');
      const parts = splitText(text, limitOf(text, isWhatsApp));
      await sentParts.sendRest(id, parts, (part, index) => {
        const named = new URLSearchParams({
          instance,
          message: id,
          part: `${index + 1}`,
          parts: `${parts.length}`,
        });
        return post(
          {
            To: to,
            ...senderOf(options, isWhatsApp),
            Body: part,
            StatusCallback: `${url}/status?${named.toString()}`,
          },
          signal,
        );
      });
    },
    handle: async (request, context) => {
      if (request.method !== 'POST') return refused(405, 'Twilio posts forms.');
      const fields = new URLSearchParams(await request.text());
      const path = pathBelow(request, context);
      const given = request.headers.get('x-twilio-signature') ?? '';
      if (!isSameText(given, signatureOf(authToken, url + path.pathname + path.search, fields)))
        return refused(
          403,
          'The signature is missing or wrong. Twilio signs the public address of the channel.',
        );
      return handleForm(fields, path.query, context);
    },
  };
}

/** @throws RejectedError when the channel has no sender of the kind */
function senderOf(
  { from, whatsappFrom }: TwilioOptions,
  isWhatsApp: boolean,
): Readonly<Record<string, string>> {
  if (isWhatsApp) {
    if (whatsappFrom === undefined)
      throw new RejectedError('The channel has no number for WhatsApp: "whatsappFrom".');
    return { From: `whatsapp:${whatsappFrom.replace(/^whatsapp:/, '')}` };
  }
  if (from === undefined) throw new RejectedError('The channel has no number for SMS: "from".');
  return from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from };
}

/** What follows the address of the channel. The host and the path before it may be those of a proxy. */
interface Below {
  readonly pathname: string;
  readonly query: URLSearchParams;
  /** With the question mark, as it was received: it is signed. */
  readonly search: string;
}

function pathBelow(request: Request, { name }: ChannelContext): Below {
  const { pathname, search, searchParams } = new URL(request.url);
  const base = `/channels/${encodeURIComponent(name)}`;
  const start = pathname.indexOf(base);
  const below = start === -1 ? pathname : pathname.slice(start + base.length);
  return { pathname: below, query: searchParams, search };
}
