import { longestMessage } from '@dramaturg/compiler/machine';
import { HostError } from '../errors.ts';
import type { InboxLimits } from '../limits/index.ts';
import type { MessageReceived } from '@dramaturg/compiler/format';
import type { TranscriptLine } from './event.ts';
import type { ReadLines } from './transcript.ts';

/**
 * The messages of the contact that were not fed to the flow yet. They are lines of the transcript, so the inbox is a range
 * of it and has a constant size. A message leaves the inbox when it is fed to the flow, and is therefore fed once.
 */
export interface Inbox {
  /** The index of the first line that may be one of the messages. All later lines of the contact are messages, except words. */
  readonly from: number;
  readonly count: number;
  /** How many of the messages a turn was started for. They are the oldest. */
  readonly due: number;
  /** The length of all texts in UTF-16 units. */
  readonly size: number;
}

/** The next messages for the flow, all of which belong to one question. */
export interface Batch {
  readonly early?: MessageReceived['early'];
  /** The index of the first one. */
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
  /** The question before. */
  readonly before?: Omit<Question, 'before'>;
}

/** The lines that the flow was given last. */
export interface HeardLines {
  readonly from: number;
  /** The index after the last one. */
  readonly to: number;
  /** The index of the first line that was not given before: the reply also answers the lines before it. Absent when it is `from`. */
  readonly own?: number;
  /** More lines follow before the reply. */
  readonly more?: true;
}

/** A read is this long at most, in lines. */
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
 * Reads the next due messages. They fit into one message of the flow, one per line, so that it answers once. A longer one
 * does not exist.
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

/** A message may have come before the present question was decided. */
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

/** About as many lines as fit into a batch, so that few texts are read twice. */
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
