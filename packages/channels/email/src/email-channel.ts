import { createHash } from 'node:crypto';
import { protectSecret } from '@dramaturg/compiler/secrets';
import { type HttpChannel, RejectedError } from '@dramaturg/host';
import { emailAddress, isSameText, jsonObjectIn, refused } from '@dramaturg/host/channel';
import { createTransport } from 'nodemailer';
import { handleRecord, type SenderPolicy } from './handle-record.ts';
import { Threads } from './threads.ts';

export interface EmailOptions extends SenderPolicy {
  /** The server that sends: `smtps://user:password@smtp.example.com`, or `smtp://...:587`, which requires STARTTLS. */
  readonly smtp: string;
  /** The address of the sender: `Desk <desk@example.com>`. */
  readonly from: string;
  /** The address that answers go to: that of the inbound server. The sender when left out. */
  readonly replyTo?: string;
  /** The user name and the password of the inbound webhook: `user:password`. */
  readonly inbound: string;
  /** The subject of messages that answer no mail. "Message" when left out. */
  readonly subject?: string;
  /** Sends without TLS, to a server on this machine. */
  readonly isPlain?: boolean;
}

/** A server that hangs is not waited for longer than the host waits for a channel. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 25_000 };

/**
 * A channel for e-mail: SMTP out, and the inbound webhook of a mail service in. A contact is an address. Spec: RFC 5321, RFC 5322;
 * Postmark, "Inbound webhook"; docs/channels.md
 *
 * @throws TypeError when an option is malformed
 */
export function emailChannel(options: EmailOptions): HttpChannel {
  const { smtp, from, inbound, replyTo, subject = 'Message', isPlain = false } = options;
  const { unverified = 'refuse', authservId } = options;
  if (!['refuse', 'mark'].includes(unverified))
    throw new TypeError('Messages of unverified senders are treated by "refuse" or "mark".');
  const { password } = requireUrl(smtp);
  protectSecret(decodeURIComponent(password));
  protectSecret(inbound.slice(inbound.indexOf(':') + 1));
  if (!/^[^:]+:.{8,}$/s.test(inbound))
    throw new TypeError(
      'The user of the inbound webhook is written "user:password", with 8 characters or more.',
    );
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1];
  if (domain === undefined)
    throw new TypeError('The sender is not an address: "Desk <desk@example.com>".');
  const transport = createTransport(smtp, {
    ...timeouts,
    requireTLS: !isPlain,
    ignoreTLS: isPlain,
  } as object);
  const threads = new Threads();
  const sent = new Set<string>();
  const authorization = `Basic ${Buffer.from(inbound).toString('base64')}`;
  return {
    contactKey: emailAddress,
    deliver: async ({ id, instance, contact, text }, { signal }) => {
      const address = contact?.trim() ?? '';
      const key = emailAddress(address);
      if (sent.has(id)) return;
      const last = threads.get(key);
      const thread = threadIdOf(instance, domain);
      const sending = transport.sendMail({
        from,
        to: { name: '', address },
        ...(replyTo === undefined ? {} : { replyTo }),
        subject: last ? `Re: ${last.subject.replace(/^(re:\s*)+/i, '')}` : subject,
        text,
        messageId: messageIdOf(id, domain),
        inReplyTo: last?.messageId ?? thread,
        references: last ? [thread, last.messageId] : [thread],
        headers: {
          'Auto-Submitted': 'auto-replied',
          // Postmark repeats these headers in its reports.
          'X-PM-Metadata-instance': encodeURIComponent(instance),
          'X-PM-Metadata-message': encodeURIComponent(id),
        },
        // Text of people and models must not make the library load a file or an address.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      // A mail that is accepted after the signal is not sent again.
      const accepted = sending.then(() => remember(sent, id));
      await Promise.race([accepted, aborted(signal)]).catch((error: unknown) => {
        throw errorOf(error);
      });
    },
    handle: async (request, context) => {
      if (request.method !== 'POST') return refused(405, 'The mail service posts records.');
      if (!isSameText(request.headers.get('authorization') ?? '', authorization))
        return refused(401, 'The user name or the password is missing or wrong.');
      const record = jsonObjectIn(await request.text());
      return record
        ? handleRecord(record, context, { threads, unverified, authservId })
        : refused(400, 'The body is not a record.');
    },
  };
}

function requireUrl(smtp: string): URL {
  const url = URL.parse(smtp);
  if (url && ['smtp:', 'smtps:'].includes(url.protocol)) return url;
  throw new TypeError(
    'The server of the e-mail is written "smtps://user:password@smtp.example.com".',
  );
}

/** Rejects when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Maximum number of accepted messages that are remembered. */
const sentMax = 10_000;

function remember(sent: Set<string>, id: string): void {
  sent.add(id);
  if (sent.size <= sentMax) return;
  const [oldest] = sent;
  sent.delete(oldest!);
}

/** Strings of any length and alphabet become the left side of a Message-ID. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

/** The Message-ID of a message: the same at each attempt, so that mailboxes recognise a repetition. Spec: RFC 5322, section 3.6.4 */
function messageIdOf(message: string, domain: string): string {
  return `<${hashOf(message)}@${domain}>`;
}

/** The Message-ID at the beginning of an instance's thread, so that mail programs show its messages together. */
function threadIdOf(instance: string, domain: string): string {
  return `<thread.${hashOf(instance)}@${domain}>`;
}

/** Maximum length of a server's answer that is quoted as the reason. */
const longestReason = 300;

/** The error that tells the host whether a message can be sent again. Spec: RFC 5321, section 4.2.1 */
function errorOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, response, responseCode, command } = error as Error & {
    readonly code?: string;
    readonly response?: string;
    readonly responseCode?: number;
    readonly command?: string;
  };
  const answer = response?.slice(0, longestReason) ?? error.message.slice(0, longestReason);
  const message = `The mail server said: ${answer}`;
  // A 5yz reply about the recipient or the content is permanent. One about the sender or the login says nothing about the
  // message.
  const isAboutMessage = ['RCPT TO', 'DATA'].includes(command ?? '') || code === 'EMESSAGE';
  const isFinal = responseCode !== undefined && responseCode >= 500 && isAboutMessage;
  return isFinal ? new RejectedError(message) : new Error(message, { cause: error });
}
