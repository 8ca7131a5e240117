import { protectSecret } from '@dramaturg/compiler/secrets';
import {
  type ChannelContext,
  type DeliveryStatus,
  type HttpChannel,
  RejectedError,
} from '@dramaturg/host';
import {
  acknowledged,
  askProvider,
  type Attachment,
  deliveryError,
  hmac,
  isSameText,
  jsonObjectIn,
  loadFile,
  type ProviderAnswer,
  receiveMessage,
  refused,
  reportDelivery,
  SentParts,
  splitText,
  telephoneNumber,
  usualQuietWindow,
} from '@dramaturg/host/channel';

export interface TwilioOptions {
  /** The id of the account: `AC...`. */
  readonly accountSid: string;
  /** The secret of the account, which also signs Twilio's requests. */
  readonly authToken: string;
  /** The number that sends SMS, or the id of a messaging service: `+15557122661` or `MG...`. */
  readonly from?: string;
  /** The number that sends WhatsApp messages: `+14155238886`. */
  readonly whatsappFrom?: string;
  /** The public address of the channel, which Twilio signs: `https://desk.example.com/channels/twilio`. */
  readonly url: string;
  /** The API. Another region has another one, such as `https://api.dublin.ie1.twilio.com`. */
  readonly apiUrl?: string;
}

const provider = 'Twilio';

/**
 * A channel for SMS and WhatsApp. A contact is a number, `+56912345678`, or for WhatsApp `whatsapp:+56912345678`.
 * Spec: Twilio Programmable Messaging; docs/channels.md
 *
 * @throws TypeError when the address is malformed, or no sender is given
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
    download: async ({ url: address }, request) => {
      // The credentials go to Twilio only.
      if (typeof address !== 'string') return undefined;
      if (URL.parse(address)?.origin !== new URL(apiUrl).origin) return undefined;
      return loadFile('Twilio', address, { ...request, headers: { authorization } });
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

/** The part of a URL after the address of the channel. The host and the path before it may belong to a proxy. */
interface Below {
  readonly pathname: string;
  readonly query: URLSearchParams;
  /** The query with its question mark, exactly as received, because it is signed. */
  readonly search: string;
}

function pathBelow(request: Request, { name }: ChannelContext): Below {
  const { pathname, search, searchParams } = new URL(request.url);
  const base = `/channels/${encodeURIComponent(name)}`;
  const start = pathname.indexOf(base);
  const below = start === -1 ? pathname : pathname.slice(start + base.length);
  return { pathname: below, query: searchParams, search };
}

/**
 * The canonical form of a contact: a number, for WhatsApp with `whatsapp:` before it, or a short code, which belongs to no country.
 *
 * @throws RejectedError
 */
export function contactKey(written: string): string {
  const text = written.trim();
  if (/^\d{3,6}$/.test(text)) return text;
  const [prefix = ''] = /^whatsapp:/i.exec(text) ?? [];
  return prefix.toLowerCase() + telephoneNumber(text.slice(prefix.length));
}

/**
 * The signature of a request with or without form fields. Spec: Twilio, "Webhooks security", "Validating signatures"
 *
 * @param url as Twilio has called it, with its query
 */
export function signatureOf(authToken: string, url: string, fields: URLSearchParams): string {
  const names = [...new Set(fields.keys())].toSorted();
  const pairs = names.flatMap((name) => {
    const values = [...new Set(fields.getAll(name))].toSorted();
    return values.map((value) => name + value);
  });
  return hmac('sha1', authToken, url + pairs.join(''), 'base64');
}

/** Codes about the sender or the account: another attempt can succeed once they are fixed. Spec: Twilio, "Error codes" */
const codesOfSender: readonly number[] = [
  20_003, 20_404, 20_429, 21_212, 21_603, 21_606, 21_620, 21_660, 21_701, 21_703, 21_705,
];

/** The error for a response of the API. */
function errorOf(
  { status, headers }: ProviderAnswer,
  body: Readonly<Record<string, unknown>> | undefined,
): Error {
  const { code, message } = body ?? {};
  const reason = typeof message === 'string' ? message.replace(/\.$/, '') : undefined;
  const isOfSender = typeof code === 'number' && codesOfSender.includes(code);
  return deliveryError({
    provider: 'Twilio',
    status,
    headers,
    reason: typeof code === 'number' ? `${reason ?? 'error'} (${code})` : reason,
    ...(isOfSender && { isFinal: false }),
  });
}

/** The statuses that are reported. `queued`, `sending` and `sent` say nothing about the arrival. Spec: Twilio, "Message status" */
const statuses: ReadonlyMap<string | null, DeliveryStatus> = new Map([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

/** Answers a form that was signed: a message of a person, or the status of a message. */
async function handleForm(
  fields: URLSearchParams,
  query: URLSearchParams,
  context: ChannelContext,
): Promise<Response> {
  const id = fields.get('MessageSid');
  if (!id || id.length > 100) return refused(400, 'The form has no "MessageSid".');
  if (fields.has('MessageStatus')) return report(fields, query, context);
  const contact = fields.get('From');
  if (!contact) return refused(400, 'The form has no "From".');
  const attachments = attachmentsIn(fields);
  const text = fields.get('Body') ?? '';
  // A form without content, such as an empty message of a carrier.
  if (text.trim() === '' && attachments.length === 0) return twiml(acknowledged());
  return twiml(await receiveMessage(context, { contact, text, id, attachments }));
}

/** The query comes from the address that the channel gave with the message. */
async function report(
  fields: URLSearchParams,
  query: URLSearchParams,
  context: ChannelContext,
): Promise<Response> {
  const status = statuses.get(fields.get('MessageStatus'));
  const [instance, message, part, parts] = ['instance', 'message', 'part', 'parts'].map((name) =>
    query.get(name),
  );
  if (!status || !instance || !message) return acknowledged();
  // A message in parts has arrived when its last part has, and has failed when any part has.
  if (status !== 'failed' && part !== parts) return acknowledged();
  const code = fields.get('ErrorCode');
  const reason =
    fields.get('ErrorMessage') ?? (code ? `Twilio's error ${code}.` : 'Not delivered.');
  return reportDelivery(context, {
    instance,
    message,
    status,
    ...(status === 'failed' && { reason }),
  });
}

/** Spec: Twilio, "Media-related parameters" */
function attachmentsIn(fields: URLSearchParams): readonly Attachment[] {
  const count = Math.min(Number(fields.get('NumMedia')) || 0, 10);
  return Array.from({ length: count }, (_, index) => {
    const url = fields.get(`MediaUrl${index}`);
    const type = fields.get(`MediaContentType${index}`);
    return { ...(url && { url }), ...(type && { type }) };
  });
}

/** Twilio sends what the answer contains as a reply: here nothing. Spec: TwiML */
function twiml(answer: Response): Response {
  if (answer.status !== 200) return answer;
  return new Response('<?xml version="1.0" encoding="UTF-8"?><Response/>', {
    headers: { 'content-type': 'text/xml' },
  });
}

/** Characters that take one septet, and those that take two. Spec: 3GPP TS 23.038, section 6.2.1 */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const extended = new Set('\f^{}\\[~]|€');

/** Whether an SMS with the text is sent in the 7-bit alphabet. A single other character makes all of it UCS-2. */
export function isGsm7(text: string): boolean {
  for (const character of text) if (!basic.has(character) && !extended.has(character)) return false;
  return true;
}

/** Septets of a text in the 7-bit alphabet. */
export function septets(text: string): number {
  let count = 0;
  for (const character of text) count += extended.has(character) ? 2 : 1;
  return count;
}

/** Septets, or UTF-16 units, of one segment of a long SMS. */
const perSegment = { gsm7: 153, ucs2: 67 };

/** More segments are often not delivered. Spec: Twilio, "SMS character limits" */
const segmentsMax = 10;

/** Units of a WhatsApp message. Spec: Twilio, error 21617 */
const longestWhatsApp = 1_600;

/** The maximum length of one message with the text, and its unit. */
export function limitOf(text: string, isWhatsApp: boolean) {
  if (isWhatsApp) return { max: longestWhatsApp };
  return isGsm7(text)
    ? { max: segmentsMax * perSegment.gsm7, sizeOf: septets }
    : { max: segmentsMax * perSegment.ucs2 };
}
