/** A message of a prompt. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Whether the next call of its kind begins with everything up to here, unless the constant part has changed. */
  readonly isSettled?: boolean;
}
