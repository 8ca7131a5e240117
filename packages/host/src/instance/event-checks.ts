import type { EventObject } from '@dramaturg/compiler';
import type { MachineActor } from '../xstate/machine-actor.ts';
import { notOpen } from './answer-question.ts';
import { type Answer, decisionMade } from './event.ts';
import { inboxFull } from './inbox-full.ts';
import { refusal, refusalAfterEnd, refusalOfRepeated } from './refusal.ts';
import type { StepEngineOptions } from './step-engine.ts';
import type { LoadedDefinitions } from './surroundings.ts';
import type { WorkingState } from './working-state.ts';

/** Why an event is refused before it reaches a machine; undefined when it may. */
export async function refusalBefore(
  event: EventObject,
  { working, lifecycle, performance, surroundings }: StepEngineOptions,
): Promise<Answer | undefined> {
  const { status, ended } = working;
  if (await isRepeated(event, working, lifecycle.context)) return refusalOfRepeated(event, status);
  if (isWithoutText(event, ended, performance !== undefined))
    return refusal('message/not-text', 'The "text" of a message must be a string.', status);
  if (!ended) {
    return performance && event.type === 'message.received'
      ? inboxFull(event, performance.state, surroundings.inboxLimits, status)
      : undefined;
  }
  const { type, id, after_end } = event;
  if (type === 'message.received' && after_end === true && typeof event['text'] === 'string')
    return undefined;
  if (type !== decisionMade || typeof id !== 'string') return refusalAfterEnd(event, status);
  const { code, because } = notOpen(id);
  return refusal(code, because, status);
}

async function isRepeated(
  { type, id }: EventObject,
  { ended, receivedIds, receivedCount }: WorkingState,
  { seen }: MachineActor['context'],
): Promise<boolean> {
  if (type !== 'message.received' || typeof id !== 'string') return false;
  // A lifecycle that has not ended refuses these itself.
  const wasReceived = ended && Array.isArray(seen) && seen.includes(id);
  return wasReceived || receivedIds.has(id, receivedCount);
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
