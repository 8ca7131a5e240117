import type { Change, NewLines, NewRecord, Receipt, RecordSummary } from '../contract.ts';
import { attentionField } from '../attention.ts';
import { questionsField } from '../record-state.ts';
import { checksum } from '../checksum.ts';
import {
  acknowledgeWrite,
  commitWrite,
  type CommitWrite,
  createWrite,
  type LetterText,
  type PartText,
  type Write,
} from '../write.ts';

/** The deletion of a record. */
export interface DeleteWrite {
  readonly type: 'delete';
  readonly id: string;
}

/** A write to store in the journal, with the record after it. */
export interface JournalEntry {
  readonly write: Write | DeleteWrite;
  /** The record after the write; undefined when it is deleted. */
  readonly summary: RecordSummary | undefined;
  /** Whether the record has letters after the write. */
  readonly letters: boolean;
}

/** A line of the journal: one write. */
export interface JournalLine {
  /** Writes are numbered from 1 and never twice. */
  readonly number: number;
  readonly id: string;
  /** The number of the previous write of the record; 0 for its creation. */
  readonly before: number;
  /** When the line was written, the device had all writes up to this number. */
  readonly flushed: number;
  /** The id of the record of the line before, so that the record of one damaged line is known. */
  readonly previous: string;
  /** Whether the record has letters after this write. */
  readonly letters: boolean;
  /** The index of its first journal line; undefined when it has none. */
  readonly from: number | undefined;
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
 *     {"sum":"0a1b2c3d","number":7,"id":"a","before":5,"flushed":6,"previous":"b","letters":false,"commit":{"expectedRevision":3,"status":"WAITING"}}
 */
export function formatLine(
  { write, summary, letters }: JournalEntry,
  {
    number,
    before,
    flushed,
    previous,
  }: Pick<JournalLine, 'number' | 'before' | 'flushed' | 'previous'>,
): Buffer {
  const [id, last] = [JSON.stringify(write.id), JSON.stringify(previous)];
  const head = `"number":${number},"id":${id},"before":${before},"flushed":${flushed}`;
  const lines = 'journal' in write ? write.journal.length : 0;
  const from = lines === 0 ? '' : `"from":${summary!.journalLength - lines},`;
  // The text is long: it becomes bytes once, and the checksum, which is of those bytes, is put into its place.
  const bytes = Buffer.from(
    `${linePrefix}${noSum}",${head},"previous":${last},"letters":${letters},${from}${writeJson(write)}}\n`,
  );
  bytes.write(checksum(bytes.subarray(contentStart, -1)), linePrefix.length, 'latin1');
  return bytes;
}

const linePrefix = '{"sum":"';
const sumLength = 8;
const noSum = '0'.repeat(sumLength);
const contentStart = linePrefix.length + sumLength + 2;

/** Parses a line without its line break. Returns undefined when it differs from what was written. */
export function parseLine(line: Buffer): JournalLine | undefined {
  const sum = line.toString('latin1', linePrefix.length, linePrefix.length + sumLength);
  // The prefix is not part of the checksum.
  if (line.toString('latin1', 0, contentStart) !== `${linePrefix}${sum}",`) return undefined;
  if (sum !== checksum(line.subarray(contentStart))) return undefined;
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
    return { number, id, before, flushed, previous, letters, from, fields };
  } catch {
    return undefined;
  }
}

/**
 * The write of a line.
 *
 * @throws `store/bad-request` when it is not a write
 */
export function writeOf({ id, fields }: JournalLine): Write | DeleteWrite {
  if (fields.create !== undefined) return createWrite({ ...fields.create, id });
  if (fields.commit !== undefined) return commitWrite({ ...fields.commit, id });
  if (fields.acknowledge !== undefined) return acknowledgeWrite({ ...fields.acknowledge, id });
  return { type: 'delete', id };
}

/** The write of a line without what a summary does not need: large values, and the content of journal and transcript. */
export function summaryWriteOf({ id, fields }: JournalLine): Write | DeleteWrite {
  const { create, commit, acknowledge } = fields;
  if (create !== undefined) {
    const small = { ...create, ...countedLines(create), snapshot: null, parts: [], outbox: [] };
    return createWrite({ ...small, id });
  }
  if (acknowledge !== undefined)
    return acknowledgeWrite({ ...acknowledge, ...countedLines(acknowledge), id });
  if (commit === undefined) return { type: 'delete', id };
  const { snapshot: _, parts: __, effects: ___, ...rest } = commit;
  return commitWrite({ ...rest, ...countedLines(commit), id });
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
