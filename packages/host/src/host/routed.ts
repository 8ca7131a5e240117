import type { Answer } from '../instance/event.ts';

/** The answer to a message from outside. */
export type Routed =
  | ({ readonly instance: string } & Answer)
  /** The message is not stored: no instance holds the contact, or too many messages of the contact wait. */
  | {
      readonly instance: null;
      readonly accepted: false;
      readonly code: 'host/no-holder' | 'host/busy';
      /** A sentence for people. */
      readonly because: string;
      /** When to send the message again, in milliseconds from now. */
      readonly retryAfterMs?: number | undefined;
    };

/** The answer to a message of a contact that no instance holds. */
export const noHolder: Routed = {
  instance: null,
  accepted: false,
  code: 'host/no-holder',
  because: 'No instance holds the contact, so the message is not kept.',
};
