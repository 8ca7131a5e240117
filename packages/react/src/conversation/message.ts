/** A line of a conversation. */
export interface Message {
  readonly id: string;
  /** `note` is a message of the page, such as a refusal or an error. */
  readonly role: 'agent' | 'person' | 'note';
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at?: number;
}
