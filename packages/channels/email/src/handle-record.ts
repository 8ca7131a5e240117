import { DramaturgError } from '@dramaturg/compiler';
import { type ChannelContext, RejectedError } from '@dramaturg/host';
import {
  acknowledged,
  emailAddress,
  receiveMessage,
  refused,
  reportDelivery,
} from '@dramaturg/host/channel';
import * as z from 'zod';
import type { Threads } from './threads.ts';

const header = z.object({ Name: z.string(), Value: z.string() });

/** A received message. Spec: Postmark, "Inbound webhook" */
const mail = z.object({
  FromFull: z.object({ Email: z.string() }),
  MessageID: z.string().min(1),
  Subject: z.string().optional(),
  TextBody: z.string().optional(),
  StrippedTextReply: z.string().optional(),
  Headers: z.array(header).optional(),
  Attachments: z
    .array(
      z.object({
        Name: z.string().optional(),
        ContentType: z.string().optional(),
        ContentLength: z.number().optional(),
        /** In base64. */
        Content: z.string().optional(),
      }),
    )
    .optional(),
});

/** A report about a message. Spec: Postmark, "Bounce webhook", "Delivery webhook", "Open tracking webhook" */
const report = z.object({
  RecordType: z.enum(['Delivery', 'Open', 'Bounce', 'SpamComplaint']),
  Type: z.string().optional(),
  Description: z.string().optional(),
  Metadata: z.record(z.string(), z.string()).optional(),
});

/** Bounces after which the server tries again, and automatic answers. */
const temporaryBounces = [
  'Transient',
  'SoftBounce',
  'DnsError',
  'AutoResponder',
  'Subscribe',
  'Unsubscribe',
  'AddressChange',
  'ChallengeVerification',
];

/** How senders of messages are verified. */
export interface SenderPolicy {
  /** What happens to a message whose sender is not verified: `mark` accepts it with `senderVerified: false` in its data. */
  readonly unverified?: 'refuse' | 'mark';
  /**
   * The service at the beginning of the `Authentication-Results` that say whether a sender is verified. Without it, Postmark's
   * headers say so.
   */
  readonly authservId?: string | undefined;
}

export interface Inbound extends Pick<SenderPolicy, 'authservId'> {
  readonly threads: Threads;
  readonly unverified: NonNullable<SenderPolicy['unverified']>;
}

/** Answers a record of the mail service. */
export async function handleRecord(
  record: Readonly<Record<string, unknown>>,
  context: ChannelContext,
  inbound: Inbound,
): Promise<Response> {
  const reported = report.safeParse(record);
  if (reported.success) return handleReport(reported.data, context);
  // Records of other types, such as changes of a subscription.
  if (typeof record['RecordType'] === 'string' && record['RecordType'] !== 'Inbound')
    return acknowledged();
  const parsed = mail.safeParse(record);
  if (!parsed.success) return refused(400, 'The body is not a message.');
  return receive(parsed.data, context, inbound);
}

async function receive(
  {
    FromFull,
    MessageID,
    Subject = '',
    TextBody = '',
    StrippedTextReply,
    Headers = [],
    Attachments = [],
  }: z.output<typeof mail>,
  context: ChannelContext,
  { threads, unverified, authservId }: Inbound,
): Promise<Response> {
  const valueOf = (name: string) => Headers.find((each) => each.Name.toLowerCase() === name)?.Value;
  // Two machines that answer each other would never end. Spec: RFC 3834, section 2
  const isAutomatic = (valueOf('auto-submitted') ?? 'no').toLowerCase() !== 'no';
  if (isAutomatic || /bulk|junk|list/i.test(valueOf('precedence') ?? '')) return acknowledged();
  const messageId = valueOf('message-id');
  const contact = contactOf(FromFull.Email);
  const isVerified = isSenderVerified(Headers, contact, authservId);
  if (!isVerified && unverified === 'refuse') {
    const doing = `receiving the message ${JSON.stringify(messageId ?? MessageID)} through ${context.name}`;
    context.host.reportError(new UnverifiedSenderError(contact), doing);
    return acknowledged();
  }
  if (messageId && /^<[^<>\s]{1,900}>$/.test(messageId))
    threads.note(contact, { messageId, subject: Subject.slice(0, 200) });
  const attachments = Attachments.map(({ Name, ContentType, ContentLength, Content }, index) => ({
    id: `${MessageID}/${index}`,
    ...(Content && context.host.keepsFiles && { url: `data:${ContentType};base64,${Content}` }),
    ...(ContentType === undefined ? {} : { type: ContentType }),
    ...(Name === undefined ? {} : { name: Name }),
    ...(ContentLength === undefined ? {} : { size: ContentLength }),
  }));
  return receiveMessage(context, {
    contact,
    text: (StrippedTextReply || TextBody).trim(),
    // The id from the sender's program, if it gave one: the same mail may arrive twice.
    id: messageId ?? MessageID,
    attachments,
    data: {
      ...(Subject === '' ? {} : { subject: Subject.slice(0, 1_000) }),
      ...(unverified === 'mark' && { senderVerified: isVerified }),
    },
  });
}

/** Anybody can write any address into a message. */
class UnverifiedSenderError extends DramaturgError<'email/unverified-sender'> {
  override readonly name = 'UnverifiedSenderError';

  constructor(contact: string) {
    super(
      'email/unverified-sender',
      `The mail service has not verified that the message comes from ${JSON.stringify(contact.slice(0, 100))}, so it is not received. docs/channels.md#verified-senders says what the service has to send.`,
    );
  }
}

/** The address in canonical form. Other strings stay as they are: the host refuses them. */
function contactOf(address: string): string {
  try {
    return emailAddress(address);
  } catch (error) {
    if (error instanceof RejectedError) return address;
    throw error;
  }
}

async function handleReport(
  { RecordType, Type = '', Description, Metadata = {} }: z.output<typeof report>,
  context: ChannelContext,
): Promise<Response> {
  const [instance, message] = [Metadata['instance'], Metadata['message']].map(decoded);
  const isTemporary = RecordType === 'Bounce' && temporaryBounces.includes(Type);
  if (!instance || !message || isTemporary) return acknowledged();
  if (RecordType === 'Delivery')
    return reportDelivery(context, { instance, message, status: 'delivered' });
  if (RecordType === 'Open') return reportDelivery(context, { instance, message, status: 'read' });
  const reason = Description || Type || RecordType;
  return reportDelivery(context, { instance, message, status: 'failed', reason });
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A header of a message, as the mail service lists them. Its own headers come first. */
interface Header {
  readonly Name: string;
  readonly Value: string;
}

/**
 * Whether the mail service has verified that a message comes from the domain of its author. A sender can forge these headers, so
 * a name that occurs twice says nothing.
 *
 * @param author in its canonical form
 * @param authservId the service whose `Authentication-Results` count. It removes others with its name. Spec: RFC 8601, section 5
 */
function isSenderVerified(
  headers: readonly Header[],
  author: string,
  authservId: string | undefined,
): boolean {
  const domain = author.slice(author.lastIndexOf('@') + 1);
  const valuesOf = (name: string) =>
    headers.filter((each) => each.Name.toLowerCase() === name).map(({ Value }) => Value);
  if (authservId !== undefined) {
    const results = valuesOf('authentication-results').map(resultsIn);
    const own = results.find(([id]) => id?.[0] === authservId.toLowerCase());
    return own !== undefined && isAuthentic(own.slice(1), domain);
  }
  const [tests, ...otherTests] = valuesOf('x-spam-tests');
  const [spf, ...otherSpf] = valuesOf('received-spf');
  // A valid signature of the domain of the author. Spec: SpamAssassin, Mail::SpamAssassin::Plugin::DKIM
  const isSigned = tests?.split(',').some((test) => test.trim() === 'DKIM_VALID_AU') === true;
  if (isSigned && otherTests.length === 0) return true;
  // Spec: RFC 7208, section 9.1
  const [result, ...fields] = withoutFreeText(spf ?? '')
    .toLowerCase()
    .split(/[\s;]+/);
  const [sender, ...otherSenders] = fields.filter((field) => field.startsWith('envelope-from='));
  const isOne = otherSpf.length === 0 && otherSenders.length === 0;
  return result === 'pass' && isOne && isAligned(sender, domain);
}

/** The words of each result; the first result is the name of the service. Spec: RFC 8601, section 2.2 */
function resultsIn(value: string): readonly (readonly string[])[] {
  const results = withoutFreeText(value).toLowerCase().split(';');
  return results.map((result) =>
    result
      .replace(/\s*=\s*/g, '=')
      .trim()
      .split(/\s+/),
  );
}

/** Spec: RFC 7489, section 3.1 */
function isAuthentic(results: readonly (readonly string[])[], domain: string): boolean {
  const has = (result: string, ...properties: readonly string[]) =>
    results.some(
      ([first, ...rest]) =>
        first === result &&
        rest.some(
          (word) =>
            properties.some((name) => word.startsWith(`${name}=`)) && isAligned(word, domain),
        ),
    );
  if (results.some(([first]) => first === 'dmarc=fail')) return false;
  return (
    has('dmarc=pass', 'header.from') ||
    has('dkim=pass', 'header.d', 'header.i') ||
    has('spf=pass', 'smtp.mailfrom')
  );
}

/** Whether a property, such as `header.d=example.org`, names the domain or one above it. */
function isAligned(property: string | undefined, domain: string): boolean {
  const name = property?.slice(property.lastIndexOf('=') + 1).replace(/^.*@|[<>]/g, '') ?? '';
  return name === domain || (name.includes('.') && domain.endsWith(`.${name}`));
}

/** Leaves out comments and quoted strings, in which a sender can write anything. Spec: RFC 5322, section 3.2 */
function withoutFreeText(value: string): string {
  let [plain, depth, isQuoted] = ['', 0, false];
  for (let index = 0; index < value.length; index += 1) {
    const character = value[index]!;
    if (character === '\\') index += 1;
    else if (character === '"' && depth === 0) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth === 0) plain += character;
  }
  return isQuoted || depth !== 0 ? '' : plain;
}
