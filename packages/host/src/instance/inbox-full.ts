import type { EventObject } from '@dramaturg/compiler';
import type { InboxLimits } from '../limits/index.ts';
import type { Refused } from './event.ts';
import { isFull } from './inbox.ts';
import type { TurnState } from './performance-options.ts';
import { optionalText } from './read.ts';
import { refusedForNow } from './refusal.ts';

/** When to send a message again: a turn takes waiting messages soon, and a person who has to come first does not. */
const retryMs = { duringTurn: 1_000, otherwise: 60_000 };

/** The answer to a message that finds too many others; undefined when it may wait. */
export function inboxFull(
  { text }: EventObject,
  { inbox, turn }: TurnState,
  limits: InboxLimits,
  state: string,
): Refused | undefined {
  if (!isFull(inbox, optionalText(text), limits)) return undefined;
  const { count, size } = inbox;
  const because = `${count} messages of ${size} UTF-16 units wait already.`;
  const retryAfterMs = turn ? retryMs.duringTurn : retryMs.otherwise;
  return refusedForNow('message/inbox-full', because, state, retryAfterMs);
}
