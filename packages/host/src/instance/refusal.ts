import type { EventObject } from '@dramaturg/compiler';
import type { DurableMachine } from '../xstate/machine-actor.ts';
import { decisionMade, type Refused } from './event.ts';
import { isOwnEvent } from './own-events.ts';

/** Answers to events that were not accepted. */

/**
 * The answer for an event that a lifecycle has refused.
 *
 * @param flow the conversation or workflow of the instance. With a flow, events that only a host sends are not listed.
 */
export function refusalOf(
  { event, code, because, accepts: all }: EventObject,
  state: string,
  flow?: Pick<DurableMachine, 'converses' | 'events'>,
): Refused {
  const known = all as readonly string[];
  const accepts = flow ? known.filter((type) => !isOwnEvent(type)) : known;
  // The lifecycle knows the event and has given the reason.
  if (accepts.includes(String(event)))
    return { ...refusal(String(code), String(because), state), accepts };
  if (event === 'message.received' && flow && !flow.converses) {
    const own = [...flow.events].filter((type) => !type.startsWith('xstate.'));
    const events = [...accepts, decisionMade, ...own];
    const sentence = `A workflow accepts no messages, only events. It accepts ${events.join(', ')}.`;
    return { ...refusal('event/not-accepted', sentence, state), accepts: events };
  }
  const listed = accepts.join(', ') || 'nothing';
  const sentence = `An instance in "${state}" does not accept "${String(event)}". It accepts ${listed}.`;
  return { ...refusal('event/not-accepted', sentence, state), accepts };
}

/** The answer of an ended instance, which accepts nothing (H7). */
export function refusalAfterEnd({ type }: EventObject, state: string): Refused {
  return refusal(
    'instance/ended',
    `The instance has ended in "${state}", so it does not accept "${type}".`,
    state,
  );
}

export const repeatedCode = 'message/repeated';

/** The refusal of a repeated message. It is also an acknowledgement: the message was stored, but its sender did not get the answer. */
export function refusalOfRepeated({ id }: EventObject, state: string): Refused {
  return refusal(repeatedCode, `The message ${JSON.stringify(id)} was received before.`, state);
}

/** The refusal of other content under a known id: the id of a message is an idempotency key. */
export function refusalOfOtherContent(id: string, state: string): Refused {
  return refusal(
    'message/other-content',
    `A message ${JSON.stringify(id)} with other content was received before. Send this one with an id of its own.`,
    state,
  );
}

/** The answer to an event that may be accepted later. */
export function refusedForNow(
  code: string,
  because: string,
  state: string,
  retryAfterMs: number,
): Refused {
  const again = `Send it again in ${retryAfterMs / 1_000} s.`;
  return { ...refusal(code, `${because} ${again}`, state), retryAfterMs };
}

export function refusal(code: string, because: string, state: string): Refused {
  return { accepted: false, state, code, because, accepts: [] };
}
