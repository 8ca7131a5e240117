import { type EventObject, isRecord } from '@dramaturg/compiler';
import { lastLine, type PlacedLine } from '../host/last-line.ts';
import { messageLetter, noChannels } from './letter.ts';
import type { Question } from './inbox.ts';
import type { StepEngineOptions } from './step-engine.ts';
import type { TranscriptLine } from './event.ts';

/** Which question a message of the contact belongs to. An edit belongs to that of the message it replaces. Spec: docs/events.md#early-messages */

/** The question that a message belongs to. `false`: the open question, although its receipt is not stored yet. */
type Early = 'previous' | 'other' | false;

/** How many lines at the end of the transcript are searched for the message that a message quotes or replaces. */
const linesSearched = 200;

/** The largest difference of a believable provider's time to now, in milliseconds. */
const believedMs = 86_400_000;

/** Adds to a message the facts that are known only when it is received. */
export async function placed(
  event: EventObject,
  { working, flowRun, surroundings }: StepEngineOptions,
): Promise<EventObject> {
  const { question, reports = [] } = working.state;
  if (event.type !== 'message.received' || !flowRun || !question) return event;
  if (event['early'] !== undefined) return event;
  const early = await earlyOf();
  return early === undefined ? event : { ...event, early };

  async function earlyOf(): Promise<Early | undefined> {
    const { replyTo, sentAt, data } = event;
    const { id, before } = question!;
    const replaces = isRecord(data) ? data['replaces'] : undefined;
    if (typeof replaces === 'string') {
      const first = await find((line) => line.role === 'contact' && line.id === replaces);
      if (first && first.index > question!.line) return first.line.early;
      const isOfBefore = before && first && first.index > before.line && !first.line.early;
      return before && !isOfBefore ? 'other' : 'previous';
    }
    if (typeof replyTo === 'string') {
      const quoted = (
        await find(
          (line) => line.role === 'agent' && (line.id === replyTo || line.text === replyTo),
        )
      )?.line;
      if (quoted?.id === id) return false;
      if (quoted && !isReminder(quoted)) return quoted.id === before?.id ? 'previous' : 'other';
    }
    const sent = typeof sentAt === 'number' ? sentAt : Infinity;
    const isBefore = (other: Omit<Question, 'before'>) =>
      endOf(sent) < other.at && surroundings.world.now() - sent < believedMs;
    if (before && isBefore(before)) return 'other';
    if (isBefore(question!)) return 'previous';
    if (working.outbox.isAccepted(messageLetter(id))) return false;
    if (isShown(id)) return undefined;
    return before && isShown(before.id) ? 'previous' : 'other';
  }

  function isShown(id: string): boolean {
    const hasFailed = reports.some(
      ({ message, status, reason }) =>
        message === id && status === 'failed' && reason !== noChannels,
    );
    return !hasFailed && !working.outbox.message(messageLetter(id));
  }

  function find(accepts: (line: TranscriptLine) => boolean): Promise<PlacedLine | undefined> {
    const { length, read } = working.transcript;
    return lastLine(read, length, accepts, Math.max(0, length - linesSearched));
  }
}

/** Whether a line is a reminder, which is about the open question. */
function isReminder({ id }: TranscriptLine): boolean {
  return id.endsWith('/follow-up');
}

/** The last millisecond of a time, because many providers give whole seconds. */
function endOf(time: number): number {
  return time % 1_000 === 0 ? time + 999 : time;
}
