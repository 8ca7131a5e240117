import { DramaturgError, type JsonObject } from '@dramaturg/compiler';

/** A message for a contact. */
export interface OutgoingMessage {
  /** The idempotency key: the same at each attempt. A channel that has sent the message already fulfils. */
  readonly id: string;
  /** The id of the instance that sends the message. */
  readonly instance: string;
  /** The contact as written when the instance was started; null without a contact. For a notice, its address. */
  readonly contact: string | null;
  /** `manual`: written by an operator. `notice`: informs a person of an open decision. */
  readonly role: 'agent' | 'manual' | 'notice';
  readonly text: string;
  /** When the instance decided to send it, in milliseconds since 1970 UTC. */
  readonly at: number;
}

/** A turn begins once the contact has been quiet for `quiet_ms`, and at most `most_ms` after the first message. */
export interface QuietWindow {
  readonly quiet_ms: number;
  readonly most_ms: number;
}

/** The quiet window of channels on which people type. */
export const usualQuietWindow: QuietWindow = { quiet_ms: 1_000, most_ms: 10_000 };

/**
 * A way to deliver messages to contacts. When the promise fulfils, the message is delivered, and the channel is not
 * called with it again. After a `RejectedError` the message is a dead letter and is not retried. After any other error
 * the message is retried with backoff and the same id, after a `RetryLaterError` not before its time.
 */
export interface Channel {
  /** People write several short messages here: the quiet window of conversations that have the built-in lifecycle. */
  readonly settle?: QuietWindow;
  /**
   * The canonical form of a contact, so that all spellings of an address are one contact. Without it, contacts are used
   * unchanged. Throws a `RejectedError` that says what to write when the channel has no such address.
   */
  readonly contactKey?: (written: string) => string;
  /**
   * The host acts on the words of carriers: STOP ends all messages to the contact until START. When left out, true for a channel
   * with the name `sms` or `whatsapp`.
   */
  readonly hasCarrierWords?: boolean;
  /**
   * Loads a file that a person has sent, from an address of the provider only: the credentials of the channel go there. Undefined
   * when it cannot.
   */
  readonly download?: (
    attachment: JsonObject,
    options: { readonly signal: AbortSignal; readonly bytesMax: number },
  ) => Promise<Uint8Array | undefined>;
  /** @param options `signal` aborts after the delivery timeout */
  readonly deliver: (
    message: OutgoingMessage,
    options: { readonly signal: AbortSignal },
  ) => Promise<void> | void;
}

/**
 * The channel rejects the message for good: the address does not exist, or the text is refused.
 *
 * @example
 * ```ts
 * const deliver = (contact: string) => {
 *   if (!contact.startsWith('+')) throw new RejectedError(`"${contact}" is not a number.`);
 * };
 * try {
 *   deliver('ada');
 * } catch (error) {
 *   if (error instanceof RejectedError) console.log(error.message); // → "ada" is not a number.
 * }
 * ```
 */
export class RejectedError extends DramaturgError<'channel/rejected'> {
  override readonly name = 'RejectedError';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('channel/rejected', message, options);
  }
}

/**
 * The provider accepts the message later, for example after too many messages. The message is retried then, with the same id.
 *
 * @example
 * ```ts
 * const accept = (status: number) => {
 *   if (status === 429) throw new RetryLaterError('Too many messages.', 30_000);
 * };
 * try {
 *   accept(429);
 * } catch (error) {
 *   if (error instanceof RetryLaterError) console.log(error.retryAfterMs); // → 30000
 * }
 * ```
 */
export class RetryLaterError extends DramaturgError<'channel/retry-later'> {
  override readonly name = 'RetryLaterError';
  /** Milliseconds from now. The host waits for at most an hour. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, options?: { readonly cause?: unknown }) {
    super('channel/retry-later', message, options);
    this.retryAfterMs = retryAfterMs;
  }
}
