import type { Change, NewLines, NewRecord, Receipt } from '../../contract.ts';
import { attentionField } from '../../attention.ts';
import { questionsField } from '../../record-state.ts';
import { checksum } from '../../checksum.ts';
import {
  acknowledgeWrite,
  commitWrite,
  type CommitWrite,
  createWrite,
  type LetterText,
  type PartText,
  type Write,
} from '../../write.ts';

/** The deletion of a record. */
export interface DeleteWrite {
  readonly type: 'delete';
  readonly id: string;
}

/** A write to store in the log. */
export interface LogEntry {
  readonly write: Write | DeleteWrite;
  /** Whether the record has letters after this write. */
  readonly letters: boolean;
  /** The index of its first journal line; absent when it has none. */
  readonly from?: number;
}

/**
 * A position in the chain of all writes: the last write before it. The next line repeats checksum and record of this
 * write, so a missing line is noticed, and the record of a damaged line is known.
 */
export interface LogPosition {
  /** The number of the write. Writes are numbered from 1 and never twice. */
  readonly number: number;
  /** The checksum of its line. */
  readonly sum: string;
  /** The id of its record. */
  readonly id: string;
}

/** The position before the first write of a store. */
export const logStart: LogPosition = { number: 0, sum: '00000000', id: '' };

/** A line of the log: one write. */
export interface LogLine {
  readonly position: LogPosition;
  /** The number of the previous write of the record; 0 for its creation. */
  readonly before: number;
  /** Whether the record has letters after this write. */
  readonly letters: boolean;
  /** The index of its first journal line; absent when it has none. */
  readonly from?: number;
  /** The position that the line continues. */
  readonly previous: Omit<LogPosition, 'number'>;
  /** When the line was written, all writes up to this number were on the device. */
  readonly flushed: number;
  readonly fields: WriteFields;
}

/** The write of a line as JSON: one of these fields is present. */
interface WriteFields {
  readonly create?: NewRecord;
  readonly commit?: Omit<Change, 'id'>;
  readonly acknowledge?: Omit<Receipt, 'id'>;
  readonly delete?: object;
}

/**
 * Formats a write as a line. `sum` is the checksum of everything behind it:
 *
 *     {"sum":"0a1b2c3d","number":7,"id":"a","before":5,"epoch":2,"flushed":6,"previous":{"sum":"5e6f7a8b","id":"b"},"letters":false,"commit":{"expectedRevision":3,"status":"WAITING"}}
 */
export function formatLine(
  previous: LogPosition,
  { write, letters, from }: LogEntry,
  { before, epoch, flushed }: { before: number; epoch: number; flushed: number },
): { readonly bytes: Buffer; readonly position: LogPosition } {
  const number = previous.number + 1;
  const { id } = write;
  const head = `"number":${number},"id":${JSON.stringify(id)},"before":${before},"epoch":${epoch}`;
  const chain = `"flushed":${flushed},"previous":{"sum":"${previous.sum}","id":${JSON.stringify(previous.id)}}`;
  // The text is long: it becomes bytes once, and the checksum, which is of those bytes, is put into its place.
  const journal = from === undefined ? '' : `"from":${from},`;
  const rest = `${head},${chain},"letters":${letters},${journal}${writeJson(write)}}\n`;
  const bytes = Buffer.from(`${linePrefix}${noSum}",${rest}`);
  const sum = checksum(bytes.subarray(contentStart, -1));
  bytes.write(sum, linePrefix.length, 'latin1');
  return { bytes, position: { number, sum, id } };
}

const linePrefix = '{"sum":"';
const sumLength = 8;
const noSum = '0'.repeat(sumLength);
const contentStart = linePrefix.length + sumLength + 2;

/** Parses a line without its line break. Returns undefined when it differs from what was written. */
export function parseLine(line: Buffer): LogLine | undefined {
  const sum = line.toString('latin1', linePrefix.length, linePrefix.length + sumLength);
  const rest = line.subarray(contentStart);
  // The prefix is not part of the checksum.
  if (line.toString('latin1', 0, contentStart) !== `${linePrefix}${sum}",`) return undefined;
  if (sum !== checksum(rest)) return undefined;
  try {
    const {
      sum: _,
      number,
      id,
      before,
      flushed,
      previous,
      letters,
      from,
      ...fields
    } = JSON.parse(line.toString());
    const state = { before, flushed, letters, ...(from === undefined ? {} : { from }) };
    return { position: { number, sum, id }, previous, ...state, fields };
  } catch {
    return undefined;
  }
}

/** The id that a damaged line seems to have; undefined when it cannot be read. */
export function readableId(line: Buffer): string | undefined {
  const found = /^\{"sum":".{8}","number":\d+,"id":("(?:[^"\\]|\\.)*")/.exec(line.toString());
  try {
    return found === null ? undefined : JSON.parse(found[1]!);
  } catch {
    return undefined;
  }
}

/**
 * The write of a line.
 *
 * @throws `store/bad-request` when it is not a write
 */
export function writeOf({ position: { id }, fields }: LogLine): Write | DeleteWrite {
  if (fields.create !== undefined) return createWrite({ ...fields.create, id });
  if (fields.commit !== undefined) return commitWrite({ ...fields.commit, id });
  if (fields.acknowledge !== undefined) return acknowledgeWrite({ ...fields.acknowledge, id });
  return { type: 'delete', id };
}

/** A line without what a summary does not need: large values, and the content of journal and transcript. */
export function summaryLine(line: LogLine): LogLine {
  const { create, commit, acknowledge } = line.fields;
  if (create !== undefined) {
    const fields = { ...create, ...countedLines(create), snapshot: null, parts: [], outbox: [] };
    return { ...line, fields: { create: fields } };
  }
  if (acknowledge !== undefined)
    return { ...line, fields: { acknowledge: { ...acknowledge, ...countedLines(acknowledge) } } };
  if (commit === undefined) return line;
  const { snapshot: _, parts: __, effects: ___, ...rest } = commit;
  return { ...line, fields: { commit: { ...rest, ...countedLines(commit) } } };
}

/** As many lines, without their content. */
function countedLines({ journal = [], transcript = [] }: NewLines): Required<NewLines> {
  return { journal: journal.map(() => null), transcript: transcript.map(() => null) };
}

/** The write as a member of JSON. Values that are JSON text already are inserted unchanged. */
function writeJson(write: Write | DeleteWrite): string {
  switch (write.type) {
    case 'create': {
      const { origin, status, ended, timers, questions, attention, outbox, parts, snapshot } =
        write;
      const { id: _, ...fields } = origin;
      const copied = write.revision === 1 ? {} : { revision: write.revision };
      const changed = write.updatedAt === origin.createdAt ? {} : { updatedAt: write.updatedAt };
      const asks = { ...questionsField(questions), ...attentionField(attention) };
      const state = { ...fields, status, ended, timers, ...asks, ...copied, ...changed };
      return memberJson(write, state, [
        ...listMember('outbox', outbox.map(letterJson)),
        `"snapshot":${snapshot}`,
        ...listMember('parts', parts.map(partJson)),
      ]);
    }
    case 'commit': {
      const { expectedRevision, updatedAt, status, ended, timers, settled } = write;
      const { questions, attention } = write;
      const waiting = { questions, attention };
      const fields = { expectedRevision, updatedAt, status, ended, timers, ...waiting, settled };
      return memberJson(write, fields, [
        ...listMember('effects', write.effects.map(letterJson)),
        ...(write.snapshot === undefined ? [] : [`"snapshot":${write.snapshot}`]),
        ...partsMember(write.parts),
      ]);
    }
    case 'acknowledge':
      return memberJson(write, { letter: write.letter }, []);
    case 'delete':
      return '"delete":{}';
  }
}

function memberJson(write: Write, fields: object, members: readonly string[]): string {
  const all = [
    JSON.stringify(fields).slice(1, -1),
    ...members,
    ...listMember('journal', write.journal),
    ...listMember('transcript', write.transcript),
  ];
  return `"${write.type}":{${all.filter((text) => text !== '').join(',')}}`;
}

function letterJson({ id, body }: LetterText): string {
  return `{"id":${JSON.stringify(id)},"body":${body}}`;
}

function partJson({ key, value }: PartText): string {
  return `{"key":${JSON.stringify(key)},"value":${value}}`;
}

/** The member with the changed parts, omitted when there are none. */
function partsMember({ set, removed }: CommitWrite['parts']): string[] {
  const members = [
    ...listMember('set', set.map(partJson)),
    ...listMember(
      'removed',
      removed.map((key) => JSON.stringify(key)),
    ),
  ];
  return members.length === 0 ? [] : [`"parts":{${members.join(',')}}`];
}

/** A member of an object, omitted when the list is empty. */
function listMember(name: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`"${name}":[${texts.join(',')}]`];
}
