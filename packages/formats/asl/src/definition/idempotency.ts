import * as z from 'zod/mini';
import { agentOnly, flag, text } from './field.ts';
import type { ValueSource } from './state.ts';

/** Agent 8 §Idempotency */
export const idempotencyFields = {
  Idempotent: agentOnly(flag, 'Whether the work may be repeated without harm.'),
  IdempotencyKey: agentOnly(text, 'Names the work, so that it is done once.'),
  'IdempotencyKey.$': agentOnly(
    text,
    'The value of `IdempotencyKey`, by a path or an intrinsic function.',
  ),
};

/** The idempotency key of a call, the same for every attempt. */
export interface Idempotency {
  /** As authored. */
  readonly key: ValueSource<string> | undefined;
  /** Whether the key is generated when none is authored. */
  readonly isGenerated: boolean;
}
