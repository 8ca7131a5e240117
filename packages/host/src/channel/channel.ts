import { DramaturgError } from '@dramaturg/compiler';

/** A message for a contact, as a channel gets it. */
export interface OutgoingMessage {
  /** The same whenever the message is handed over. A channel that has sent it already says so by fulfilling. */
  readonly id: string;
  readonly instance: string;
  /** The contact as it was written when the instance was started; null when none was given. Of a notice, its address. */
  readonly contact: string | null;
  /** `manual` was written by a person on the agent's side; a `notice` tells somebody of a decision that is open. */
  readonly role: 'agent' | 'manual' | 'notice';
  readonly text: string;
  /** When it was decided, milliseconds since 1970 UTC. */
  readonly at: number;
}

/**
 * The way to contacts. Fulfilling is the receipt: the channel has the message and is never called with it again. Anything
 * thrown means that it may not have it: it is called again, later and later, with the same message; but `RejectedError`
 * means never.
 */
export interface Channel {
  /** @param use `signal` is aborted when the time for an answer is over */
  readonly deliver: (
    message: OutgoingMessage,
    use: { readonly signal: AbortSignal },
  ) => Promise<void> | void;
}

/** The channel will never take the message: the address does not exist, the text is refused. */
export class RejectedError extends DramaturgError<'channel/rejected'> {
  override readonly name = 'RejectedError';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('channel/rejected', message, options);
  }
}
