import type { EventObject } from '@dramaturg/compiler';
import { messageLetter, noChannels } from './letter.ts';
import type { Question } from './inbox.ts';
import type { StepEngineOptions } from './step-engine.ts';
import type { TranscriptLine } from './event.ts';

/** Which question a message of the contact belongs to. Spec: docs/events.md#early-messages */

/** The question that a message belongs to. `false`: the open question, although its receipt is not stored yet. */
type Early = 'previous' | 'other' | false;

/** How many lines at the end of the transcript are searched for the message that a message quotes. */
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
    const { replyTo, sentAt } = event;
    const { id, before } = question!;
    if (typeof replyTo === 'string') {
      const quoted = await findQuoted(replyTo);
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

  async function findQuoted(quoted: string): Promise<TranscriptLine | undefined> {
    const { length, read } = working.transcript;
    const from = Math.max(0, length - linesSearched);
    const lines = await read({ from, limit: linesSearched });
    return lines.findLast(
      ({ id, role, text }) => role === 'agent' && (id === quoted || text === quoted),
    );
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
