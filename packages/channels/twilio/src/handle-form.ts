import type { ChannelContext, DeliveryStatus } from '@dramaturg/host';
import {
  acknowledged,
  type Attachment,
  receiveMessage,
  refused,
  reportDelivery,
} from '@dramaturg/host/channel';

/** The statuses that say what became of a message. `queued`, `sending` and `sent` are on the way. Spec: Twilio, "Message status" */
const statuses: ReadonlyMap<string | null, DeliveryStatus> = new Map([
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
]);

/** Answers a form that was signed: a message of a person, or the status of a message. */
export async function handleForm(
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
  // Such as an empty message of a carrier.
  if (text.trim() === '' && attachments.length === 0) return twiml(acknowledged());
  return twiml(await receiveMessage(context, { contact, text, id, attachments }));
}

/** The query is that of the address which the channel gave with the message. */
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
  // A message in parts has arrived with its last part, and has failed with any.
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

/** Twilio sends what the answer says: nothing. Spec: TwiML */
function twiml(answer: Response): Response {
  if (answer.status !== 200) return answer;
  return new Response('<?xml version="1.0" encoding="UTF-8"?><Response/>', {
    headers: { 'content-type': 'text/xml' },
  });
}
