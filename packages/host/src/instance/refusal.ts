import type { EventObject } from '@dramaturg/compiler';
import type { Answer } from './event.ts';
import { isOwnEvent } from './own-events.ts';

/** Answers to events that were not accepted. */

/**
 * What a lifecycle says of an event that it refused.
 *
 * @param performs it has a flow, and events that only a host tells it: those are of no use to whoever was refused
 */
export function refusalOf(
  { event, because, accepts: all }: EventObject,
  state: string,
  performs: boolean,
): Answer {
  const known = all as readonly string[];
  const accepts = performs ? known.filter((type) => !isOwnEvent(type)) : known;
  // A lifecycle that knows the event says what is wrong with it.
  if (accepts.includes(String(event)))
    return { accepted: false, state, because: String(because), accepts };
  const listed = accepts.join(', ') || 'nothing';
  const sentence = `An instance in "${state}" does not accept "${String(event)}". It accepts ${listed}.`;
  return { accepted: false, state, because: sentence, accepts };
}

/** H7 */
export function refusalAfterEnd({ type }: EventObject, state: string): Answer {
  return refusal(
    `The instance has ended in "${state}" and accepts nothing, so "${type}" changes nothing.`,
    state,
  );
}

/** It is an acknowledgement too: the message was stored, and its sender has not heard so. */
export function refusalOfRepeated({ id }: EventObject, state: string): Answer {
  return refusal(`The message ${JSON.stringify(id)} was received before.`, state);
}

export function refusal(because: string, state: string): Answer {
  return { accepted: false, state, because, accepts: [] };
}
