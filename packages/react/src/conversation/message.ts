/** A line of a conversation. */
export interface Message {
  readonly id: string;
  /** `note` is said by neither: what was refused, or went wrong. */
  readonly role: 'agent' | 'person' | 'note';
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at?: number;
}
