import type { JsonObject } from '@dramaturg/compiler';

/** A message of a prompt. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Images that the person has sent with it, as their channel has added them. */
  readonly images?: readonly JsonObject[];
  /** Whether the next call of its kind begins with everything up to here, unless the constant part has changed. */
  readonly isSettled?: boolean;
}
