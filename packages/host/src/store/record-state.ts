import { attentionField } from './attention.ts';
import type { Committed, RecordSummary, StoreRecord } from './contract.ts';
import { badRequest, conflict, quoted, recordExists } from './errors.ts';
import type { CommitWrite, CreateWrite, Write } from './write.ts';

/** A record without its lines, which are too many for memory. Values are JSON strings. */
export interface RecordState {
  readonly summary: RecordSummary;
  readonly snapshot: string;
  /** Parts by key. */
  readonly parts: ReadonlyMap<string, string>;
  /** Letters by id. */
  readonly outbox: ReadonlyMap<string, string>;
}

/** A record in memory to which writes are applied, one after another. */
export class MutableRecord implements RecordState {
  summary: RecordSummary;
  snapshot: string;
  readonly parts: Map<string, string>;
  readonly outbox: Map<string, string>;

  constructor({ summary, snapshot, parts, outbox }: RecordState) {
    this.summary = summary;
    this.snapshot = snapshot;
    this.parts = new Map(parts);
    this.outbox = new Map(outbox);
  }

  /**
   * Checks a write against the record.
   *
   * @returns false when the write is already stored
   * @throws the error with which the promise of the write rejects
   */
  accepts(write: Write): boolean {
    switch (write.type) {
      case 'create':
        throw recordExists(write.id);
      case 'commit':
        checkCommit(write, this.summary, (letter) => this.outbox.has(letter));
        return true;
      case 'acknowledge':
        return this.outbox.has(write.letter);
    }
  }

  /** Applies a write for which `accepts` returned true. */
  apply(write: Exclude<Write, CreateWrite>): void {
    this.summary = changedSummary(this.summary, write);
    if (write.type === 'acknowledge') {
      this.outbox.delete(write.letter);
      return;
    }
    this.snapshot = write.snapshot ?? this.snapshot;
    for (const key of write.parts.removed) this.parts.delete(key);
    for (const { key, value } of write.parts.set) this.parts.set(key, value);
    for (const letter of write.settled) this.outbox.delete(letter);
    for (const { id, body } of write.effects) this.outbox.set(id, body);
  }
}

/** A new record. */
export function createdState(write: CreateWrite): RecordState {
  return {
    summary: firstSummary(write),
    snapshot: write.snapshot,
    parts: new Map(write.parts.map(({ key, value }) => [key, value])),
    outbox: new Map(write.outbox.map(({ id, body }) => [id, body])),
  };
}

/** The summary of a record after a write. */
export function changedSummary(
  summary: RecordSummary,
  write: Exclude<Write, CreateWrite>,
): RecordSummary {
  const changed = write.type === 'commit' ? committedSummary(summary, write) : summary;
  const { journal, transcript } = write;
  if (journal.length === 0 && transcript.length === 0) return changed;
  return {
    ...changed,
    journalLength: summary.journalLength + journal.length,
    transcriptLength: summary.transcriptLength + transcript.length,
  };
}

function committedSummary(
  { questions: openQuestions = 0, attention: before, ...summary }: RecordSummary,
  { updatedAt, status, ended, timers, questions, attention }: CommitWrite,
): RecordSummary {
  return {
    ...summary,
    ...questionsField(questions ?? openQuestions),
    ...attentionField(attention ?? before),
    revision: summary.revision + 1,
    updatedAt: updatedAt ?? summary.updatedAt,
    status: status ?? summary.status,
    ended: ended ?? summary.ended,
    timers: timers ?? summary.timers,
  };
}

/** Copies the record for a caller, who may change it. */
export function toStoreRecord({ summary, snapshot, parts, outbox }: RecordState): StoreRecord {
  return {
    ...copySummary(summary),
    snapshot: JSON.parse(snapshot),
    parts: Array.from(parts, ([key, value]) => ({ key, value: JSON.parse(value) })),
    outbox: Array.from(outbox, ([id, body]) => ({ id, body: JSON.parse(body) })),
  };
}

export function copySummary(summary: RecordSummary): RecordSummary {
  const { definition, timers, attention } = summary;
  return {
    ...summary,
    ...(attention === undefined ? {} : { attention: { ...attention } }),
    ...(definition === undefined ? {} : { definition: { ...definition } }),
    timers: timers.map((timer) => ({ ...timer })),
  };
}

export function toCommitted({ revision, journalLength, transcriptLength }: Committed): Committed {
  return { revision, journalLength, transcriptLength };
}

/** The field of a summary. */
export function questionsField(questions: number): Pick<RecordSummary, 'questions'> {
  return questions === 0 ? {} : { questions };
}

/** The summary of a new record. */
export function firstSummary({
  origin,
  status,
  ended,
  timers,
  questions,
  attention,
  revision,
  updatedAt,
  ...write
}: CreateWrite): RecordSummary {
  return {
    ...origin,
    status,
    ended,
    revision,
    updatedAt,
    timers,
    ...questionsField(questions),
    ...attentionField(attention),
    journalLength: write.journal.length,
    transcriptLength: write.transcript.length,
  };
}

/**
 * Checks a commit against the stored record.
 *
 * @throws `store/conflict`, `store/bad-request`
 */
export function checkCommit(
  { id, expectedRevision, ended, settled, effects }: CommitWrite,
  record: { readonly revision: number; readonly ended: boolean | 0 | 1 },
  hasLetter: (letter: string) => boolean,
): void {
  if (record.revision !== expectedRevision) throw conflict(id, expectedRevision, record.revision);
  if (record.ended && ended === false)
    throw badRequest(`The record ${quoted(id)} has ended and cannot be restarted.`);
  for (const { id: letter } of effects)
    if (!settled.includes(letter) && hasLetter(letter))
      throw badRequest(`The outbox of ${quoted(id)} already has a letter ${quoted(letter)}.`);
}
