import * as z from 'zod/mini';
import { parse } from './limits.ts';

/** Limits on what waits for one instance or one contact. When nothing waits, any message is accepted. */
export interface InboxLimits {
  /** How many messages. 10,000 by default. */
  readonly messages: number;
  /** UTF-16 units of all their texts. 8,000,000 by default. */
  readonly size: number;
}

const inboxLimits: z.ZodMiniType<InboxLimits> = z.strictObject({
  messages: z._default(z.int().check(z.positive()), 10_000),
  size: z._default(z.int().check(z.positive()), 8_000_000),
});

/** @throws TypeError when a limit is invalid, such as a misspelt name */
export function parseInboxLimits(value: unknown = {}): InboxLimits {
  return parse(inboxLimits, value, 'The limits of the inbox are wrong');
}
