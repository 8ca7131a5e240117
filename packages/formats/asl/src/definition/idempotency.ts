import { agentOnly, flag, text } from './field.ts';
import type { ValueSource } from './state.ts';

/** Agent 8 §Idempotency */
export const idempotencyFields = {
  Idempotent: agentOnly(flag),
  IdempotencyKey: agentOnly(text),
  'IdempotencyKey.$': agentOnly(text),
};

/** The idempotency key of a call, the same for every attempt. */
export interface Idempotency {
  /** As authored. */
  readonly key: ValueSource<string> | undefined;
  /** Whether the key is generated when none is authored. */
  readonly isGenerated: boolean;
}
