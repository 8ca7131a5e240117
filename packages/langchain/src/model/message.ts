/** A line of what a model is asked. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** The next call of its kind begins with everything up to here, unless what is constant has changed. */
  readonly isSettled?: boolean;
}
