import { longestMessage } from '@dramaturg/compiler/machine';
import { HostError } from '../errors.ts';
import type { InboxLimits } from '../limits/index.ts';
import type { MessageReceived } from '@dramaturg/compiler/format';
import type { TranscriptLine } from './event.ts';
import type { ReadLines } from './transcript.ts';

/**
 * The messages of the contact that the flow has not received yet. They are lines of the transcript, so the inbox is a range of it
 * and has a constant size. A message leaves the inbox when the flow receives it, so it is delivered once.
 */
export interface Inbox {
  /** The index of the first line that may be one of the messages. All later lines of the contact are messages, except words. */
  readonly from: number;
  readonly count: number;
  /** The number of messages that a turn was started for: the oldest ones. */
  readonly due: number;
  /** The length of all texts in UTF-16 units. */
  readonly size: number;
}

/** The next messages for the flow. All belong to one question. */
export interface Batch {
  readonly early?: MessageReceived['early'];
  /** The index of the first message. */
  readonly from: number;
  readonly texts: readonly string[];
  /** The index of the line after the last message. */
  readonly next: number;
}

/** The line of the agent that the contact is to answer. */
export interface Question {
  readonly id: string;
  /** Its index in the transcript. */
  readonly line: number;
  /** When it was decided, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** The previous question. */
  readonly before?: Omit<Question, 'before'>;
}

/** The lines that the flow received last. */
export interface HeardLines {
  readonly from: number;
  /** The index after the last one. */
  readonly to: number;
  /** The index of the first new line: the reply also answers the lines before it. Absent when it equals `from`. */
  readonly own?: number;
  /** More lines follow before the reply. */
  readonly more?: true;
}

/** The longest read, in lines. */
const pageMax = 1_000;

export const emptyInbox: Inbox = { from: 0, count: 0, due: 0, size: 0 };

export function isFull({ count, size }: Inbox, text: string, limits: InboxLimits): boolean {
  return count > 0 && (count >= limits.messages || size + text.length > limits.size);
}

/** @param line the index of the message in the transcript */
export function withMessage({ from, count, due, size }: Inbox, line: number, text: string): Inbox {
  return { from: count === 0 ? line : from, count: count + 1, due, size: size + text.length };
}

/** Gives all messages to the turn that starts. */
export function withAllDue(inbox: Inbox): Inbox {
  return { ...inbox, due: inbox.count };
}

/**
 * Reads the next due messages that together fit into one message of the flow, one per line, so that it answers once. No single
 * message is longer.
 *
 * @param question the line that the contact is to answer
 * @param answeredTo lines before this index were answered by hand: they are a batch of their own
 */
export async function readBatch(
  inbox: Inbox,
  readLines: ReadLines,
  question?: Question,
  answeredTo = 0,
): Promise<Batch> {
  const texts: string[] = [];
  let next = inbox.from;
  let early: Batch['early'];
  let first = inbox.from;
  let length = -1;
  const batch = (): Batch => ({ ...(early && { early }), from: first, texts, next });
  for (let from = inbox.from; texts.length < inbox.due;) {
    const lines = await readLines({ from, limit: pageFor(inbox) });
    if (lines.length === 0) throw incomplete(inbox.due - texts.length);
    for (const line of lines) {
      from += 1;
      if (line.role !== 'contact' || line.word) continue;
      const { text } = line;
      const isEarly = earlyOf(line, from - 1, question);
      length += 1 + text.length;
      const isOther = isEarly !== early || (first < answeredTo && from > answeredTo);
      if (texts.length > 0 && (length > longestMessage || isOther)) return batch();
      if (texts.length === 0) [early, first] = [isEarly, from - 1];
      texts.push(text);
      next = from;
      if (texts.length === inbox.due) break;
    }
  }
  return batch();
}

/** The earlier question of a message that came before the present question was decided. */
function earlyOf(
  { early }: TranscriptLine,
  line: number,
  question: Question | undefined,
): Batch['early'] {
  if (!question || line > question.line) return early || undefined;
  const isOfPrevious = !early && !(question.before && line < question.before.line);
  return isOfPrevious ? 'older' : 'other';
}

export function withoutBatch({ count, due, size }: Inbox, { texts, next }: Batch): Inbox {
  const taken = texts.reduce((sum, text) => sum + text.length, 0);
  return {
    from: next,
    count: count - texts.length,
    due: due - texts.length,
    size: size - taken,
  };
}

/** The number of lines to read: about as many as fit into a batch, so that few lines are read twice. */
function pageFor({ count, due, size }: Inbox): number {
  const fitting = Math.ceil((longestMessage * count) / Math.max(size, 1)) + 1;
  return Math.min(fitting, due, pageMax);
}

function incomplete(missing: number): HostError {
  return new HostError(
    'host/damaged',
    `The transcript ends before the messages that wait: ${missing} are missing. Restore the store from a backup.`,
  );
}
