import type { EventObject } from '@dramaturg/compiler';
import type { InboxLimits } from '../limits/index.ts';
import type { MachineActor } from '../xstate/machine-actor.ts';
import { notOpen } from './answer-question.ts';
import { type Answer, decisionMade, type Refused } from './event.ts';
import { lastLine } from '../host/last-line.ts';
import { isFull } from './inbox.ts';
import { messageLetter } from './letter.ts';
import type { TurnState } from './flow-run-options.ts';
import { optionalText } from './read.ts';
import {
  refusal,
  refusalAfterEnd,
  refusalOfOtherContent,
  refusalOfRepeated,
  refusedForNow,
} from './refusal.ts';
import type { StepEngineOptions } from './step-engine.ts';
import type { LoadedDefinitions } from './surroundings.ts';
import type { WorkingState } from './working-state.ts';

/** Why an event is refused before it reaches a machine; undefined when it may. */
export async function refusalBefore(
  event: EventObject,
  { working, lifecycle, flowRun, surroundings }: StepEngineOptions,
): Promise<Answer | undefined> {
  const { status, ended } = working;
  if (await isRepeated(event, working, lifecycle.context)) return refusalOfRepeated(event, status);
  const sent = event['isKeyed'] === true ? await sentText(event, working) : undefined;
  if (sent !== undefined)
    return sent === event['text']
      ? refusalOfRepeated(event, status)
      : refusalOfOtherContent(String(event['id']), status);
  if (isWithoutText(event, ended, flowRun !== undefined))
    return refusal('message/not-text', 'The "text" of a message must be a string.', status);
  if (await isUnknownLine(event, working))
    return refusal(
      'message/unknown-line',
      '"upTo" must be the id of one of the last lines of this conversation.',
      status,
    );
  if (!ended) {
    return flowRun && event.type === 'message.received'
      ? inboxFull(event, flowRun.state, surroundings.inboxLimits, status)
      : undefined;
  }
  const { type, id, after_end } = event;
  if (type === 'message.received' && after_end === true && typeof event['text'] === 'string')
    return undefined;
  if (type !== decisionMade || typeof id !== 'string') return refusalAfterEnd(event, status);
  const { code, because } = notOpen(id);
  return refusal(code, because, status);
}

/** How many lines at the end of the transcript are searched for the last one that a person has read. */
const linesSearched = 1_000;

/** The text of a message by hand that is sent, or that waits for the channel. */
async function sentText(
  { id }: EventObject,
  { outbox, transcript }: WorkingState,
): Promise<string | undefined> {
  const waiting = outbox.message(messageLetter(String(id)));
  if (waiting) return waiting.text;
  const line = await lastLine(
    (range) => transcript.read(range),
    transcript.length,
    (each) => each.role === 'manual' && each.id === id,
  );
  return line?.line.text;
}

async function isUnknownLine(event: EventObject, working: WorkingState): Promise<boolean> {
  return (
    event.type === 'intervene' && event['upTo'] !== undefined && !(await readLines(event, working))
  );
}

/** Adds to a message by hand the number of lines that its author has read: up to the line `upTo`. */
export async function withReadLines(
  event: EventObject,
  { working }: Pick<StepEngineOptions, 'working'>,
): Promise<EventObject> {
  const line = event.type === 'intervene' ? await readLines(event, working) : undefined;
  return line === undefined ? event : { ...event, line };
}

/** Adds to a message whether it may replace a reply in progress: nothing of the reply was shown. */
export function withOverlap(
  event: EventObject,
  { working, definitions }: Pick<StepEngineOptions, 'working' | 'definitions'>,
): EventObject {
  const supersedes = definitions.lifecycle.chart.meta?.['overlap'] === 'supersede';
  if (!supersedes || event.type !== 'message.received' || event['supersedes'] !== undefined)
    return event;
  return { ...event, supersedes: working.outbox.isUnseen };
}

async function readLines(
  { upTo }: EventObject,
  { transcript }: WorkingState,
): Promise<number | undefined> {
  if (upTo === undefined) return undefined;
  const from = Math.max(0, transcript.length - linesSearched);
  const lines = await transcript.read({ from, limit: linesSearched });
  const index = lines.findLastIndex(({ id }) => id === upTo);
  return index < 0 ? undefined : from + index + 1;
}

async function isRepeated(
  { type, id }: EventObject,
  { ended, receivedIds, receivedCount }: WorkingState,
  { seen }: MachineActor['context'],
): Promise<boolean> {
  if (type !== 'message.received' || typeof id !== 'string') return false;
  // A running lifecycle refuses repeated messages itself.
  const wasReceived = ended && Array.isArray(seen) && seen.includes(id);
  return wasReceived || receivedIds.has(id, receivedCount);
}

/** Whether a message lacks a text that it needs. A lifecycle without a flow accepts a message that only has an id. */
function isWithoutText({ type, text }: EventObject, ended: boolean, performs: boolean): boolean {
  return type === 'message.received' && !ended && performs && typeof text !== 'string';
}

/** Whether an event is for the flow and not for the lifecycle. */
export function isForFlow({ type }: EventObject, { lifecycle, flow }: LoadedDefinitions): boolean {
  // The flow gets messages only in its turns, in order.
  if (type === 'message.received') return false;
  return flow !== undefined && !lifecycle.machine.events.has(type) && flow.machine.events.has(type);
}

/** When to send a message again: a turn takes waiting messages soon. A person, who may have to act first, takes longer. */
const retryMs = { duringTurn: 1_000, otherwise: 60_000 };

/** The answer to a message when too many others wait; undefined when it may wait. */
function inboxFull(
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
