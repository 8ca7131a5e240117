import type { Change, Delivery, NewRecord, Receipt } from '../contract.ts';
import { questionsField } from '../record-state.ts';
import { checksum } from '../checksum.ts';
import {
  acknowledgeWrite,
  commitWrite,
  createWrite,
  enqueueWrite,
  type LetterText,
  type Write,
} from '../write.ts';
import { DamageError } from '../damage-error.ts';

/**
 * A write in the log of a record. The log has the writes since `record.json` was written. The writes of one line are
 * stored atomically, when the line is appended. Writes are numbered from 1, the creation of the record. A line has the
 * number of its first write, and the checksum of everything behind the checksum:
 *
 *     {"sum":"0a1b2c3d","first":7,"writes":[{"commit":{"expectedRevision":3,"status":"WAITING","snapshot":{}}}]}
 */
export interface LoggedWrite {
  readonly number: number;
  readonly write: Write;
}

export interface ReadLog {
  readonly writes: readonly LoggedWrite[];
  /** Bytes up to the end of the last complete line. Bytes behind it are an incomplete write, left by a crash. */
  readonly length: number;
}

/** Formats writes as a line of the log. */
export function logLine(first: number, writes: readonly Write[]): string {
  const rest = `"first":${first},"writes":[${writes.map(writeJson).join(',')}]}`;
  return `${linePrefix}${checksum(rest)}",${rest}\n`;
}

const linePrefix = '{"sum":"';
const sumLength = 8;
const contentStart = linePrefix.length + sumLength + 2;

/**
 * Reads the writes of a log.
 *
 * @param recordId the id of the record from its file; without it, the first write must be the creation
 * @throws `DamageError`
 */
export function readLog(bytes: Buffer, recordId?: string): ReadLog {
  const writes: LoggedWrite[] = [];
  let id = recordId;
  let length = 0;
  for (;;) {
    const end = bytes.indexOf(newline, length);
    if (end === -1) return { writes, length };
    const line = bytes.subarray(length, end);
    // Space was reserved for the last line, and the power failed before the line was written completely.
    if (line.includes(0) && end === bytes.lastIndexOf(newline)) return { writes, length };
    const logged = parseLine(line, id);
    writes.push(...logged);
    id = logged[0]?.write.id;
    length = end + 1;
  }
}

const newline = 10;

function parseLine(line: Buffer, id: string | undefined): LoggedWrite[] {
  const rest = line.subarray(contentStart);
  const sum = line.toString('latin1', linePrefix.length, linePrefix.length + sumLength);
  if (sum !== checksum(rest))
    throw new DamageError(
      'A line of its log differs from what was written: the checksum does not match.',
    );
  try {
    const { first, writes } = JSON.parse(`{${rest.toString()}`) as LogLine;
    const creation = writes[0]?.create;
    const recordId = creation === undefined ? id : creation.id;
    return writes.map((fields, index) => ({
      number: first + index,
      write: toWrite(fields, recordId),
    }));
  } catch (cause) {
    throw new DamageError('A line of its log is not a write.', { cause });
  }
}

interface LogLine {
  readonly first: number;
  readonly writes: readonly LoggedFields[];
}

interface LoggedFields {
  readonly create?: NewRecord;
  readonly commit?: Omit<Change, 'id'>;
  readonly enqueue?: Omit<Delivery, 'id'>;
  readonly acknowledge?: Omit<Receipt, 'id'>;
}

function toWrite({ create, commit, enqueue, acknowledge }: LoggedFields, id = ''): Write {
  if (create !== undefined) return createWrite(create);
  if (commit !== undefined) return commitWrite({ ...commit, id });
  if (enqueue !== undefined) return enqueueWrite({ ...enqueue, id });
  if (acknowledge !== undefined) return acknowledgeWrite({ ...acknowledge, id });
  throw new DamageError('A line of its log has no write.');
}

/** The write as JSON. Values that are JSON text already are inserted unchanged. */
function writeJson(write: Write): string {
  switch (write.type) {
    case 'create': {
      const { origin, status, ended, timers, questions, mailbox, outbox, snapshot } = write;
      return memberJson(write, { ...origin, status, ended, timers, ...questionsField(questions) }, [
        ...listMember('mailbox', mailbox.map(letterJson)),
        ...listMember('outbox', outbox.map(letterJson)),
        `"snapshot":${snapshot}`,
      ]);
    }
    case 'commit': {
      const { expectedRevision, updatedAt, status, ended, timers, questions } = write;
      const { handled, settled } = write;
      const state = { expectedRevision, updatedAt, status, ended, timers, questions };
      const fields = { ...state, handled, settled };
      return memberJson(write, fields, [
        ...listMember('effects', write.effects.map(letterJson)),
        ...(write.snapshot === undefined ? [] : [`"snapshot":${write.snapshot}`]),
      ]);
    }
    case 'enqueue':
      return memberJson(write, {}, [`"letter":${letterJson(write.letter)}`]);
    case 'acknowledge':
      return memberJson(write, { letter: write.letter }, []);
  }
}

function memberJson(write: Write, fields: object, members: readonly string[]): string {
  const all = [
    JSON.stringify(fields).slice(1, -1),
    ...members,
    ...listMember('journal', write.journal),
    ...listMember('transcript', write.transcript),
  ];
  return `{"${write.type}":{${all.filter((text) => text !== '').join(',')}}}`;
}

function letterJson({ id, body }: LetterText): string {
  return `{"id":${JSON.stringify(id)},"body":${body}}`;
}

/** A member of an object, omitted when the list is empty. */
function listMember(name: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`"${name}":[${texts.join(',')}]`];
}
