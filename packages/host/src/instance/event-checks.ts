import type { EventObject } from '@dramaturg/compiler';
import type { MachineActor } from '../xstate/machine-actor.ts';
import { notOpen } from './answer-question.ts';
import { type Answer, decisionMade } from './event.ts';
import { refusal, refusalAfterEnd, refusalOfRepeated } from './refusal.ts';
import type { LoadedDefinitions } from './surroundings.ts';
import type { WorkingState } from './working-state.ts';

/**
 * Why an event is refused before it reaches a machine; undefined when it may.
 *
 * @param performs the instance has a flow
 */
export function refusalBefore(
  event: EventObject,
  working: WorkingState,
  { context }: Pick<MachineActor, 'context'>,
  performs: boolean,
): Answer | undefined {
  const { status, ended } = working;
  if (isRepeated(event, working, context)) return refusalOfRepeated(event, status);
  if (isWithoutText(event, ended, performs))
    return refusal('message/not-text', 'The "text" of a message must be a string.', status);
  if (!ended) return undefined;
  const { type, id } = event;
  if (type !== decisionMade || typeof id !== 'string') return refusalAfterEnd(event, status);
  const { code, because } = notOpen(id);
  return refusal(code, because, status);
}

/** A lifecycle that has not ended refuses repeated messages itself. */
function isRepeated(
  { type, id }: EventObject,
  { ended, state }: WorkingState,
  { seen }: MachineActor['context'],
): boolean {
  if (type !== 'message.received' || typeof id !== 'string') return false;
  const wasReceived = ended && Array.isArray(seen) && seen.includes(id);
  return wasReceived || state.seenBefore?.includes(id) === true;
}

/** A lifecycle without a flow accepts a message that only has an id. A conversation needs its text. */
function isWithoutText({ type, text }: EventObject, ended: boolean, performs: boolean): boolean {
  return type === 'message.received' && !ended && performs && typeof text !== 'string';
}

/** Whether an event is for the flow and not for the lifecycle. */
export function isForFlow({ type }: EventObject, { lifecycle, flow }: LoadedDefinitions): boolean {
  // The flow gets messages in its turns only, in order.
  if (type === 'message.received') return false;
  return flow !== undefined && !lifecycle.machine.events.has(type) && flow.machine.events.has(type);
}
