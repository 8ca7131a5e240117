import { attentionField } from '../attention.ts';
import type { Attention, RecordFilter, RecordSummary, Timer } from '../contract.ts';
import { questionsField } from '../record-state.ts';
import type { Interner } from './interner.ts';

/**
 * The index entry of a record. There may be 100,000 entries, so an entry is one flat object that is changed in place, and equal
 * values of many records are stored once.
 */
export interface IndexEntry {
  readonly id: string;
  readonly kind: string;
  readonly contact: string | undefined;
  readonly parent: string | undefined;
  readonly definition: RecordSummary['definition'];
  readonly createdAt: number;
  status: string;
  ended: boolean;
  revision: number;
  updatedAt: number;
  timers: readonly Timer[];
  questions: number;
  attention: Attention;
  journalLength: number;
  transcriptLength: number;
  /** True when the outbox has a letter. */
  hasLetters: boolean;
}

export function createEntry(
  summary: RecordSummary,
  letters: boolean,
  shared: Interner,
): IndexEntry {
  const { id, kind, contact, parent, definition, createdAt, timers } = summary;
  return {
    id,
    kind: shared.text(kind),
    contact,
    parent,
    definition: definition && shared.definition(definition),
    createdAt,
    status: shared.text(summary.status),
    ended: summary.ended,
    revision: summary.revision,
    updatedAt: summary.updatedAt,
    timers: timers.length === 0 ? noTimers : timers,
    questions: summary.questions ?? 0,
    attention: summary.attention ?? noAttention,
    journalLength: summary.journalLength,
    transcriptLength: summary.transcriptLength,
    hasLetters: letters,
  };
}

export function updateEntry(
  entry: IndexEntry,
  summary: RecordSummary,
  letters: boolean,
  shared: Interner,
): void {
  entry.status = shared.text(summary.status);
  entry.ended = summary.ended;
  entry.revision = summary.revision;
  entry.updatedAt = summary.updatedAt;
  entry.timers = summary.timers.length === 0 ? noTimers : summary.timers;
  entry.questions = summary.questions ?? 0;
  entry.attention = summary.attention ?? noAttention;
  entry.journalLength = summary.journalLength;
  entry.transcriptLength = summary.transcriptLength;
  entry.hasLetters = letters;
}

export function toSummary(entry: IndexEntry): RecordSummary {
  const { contact, parent, definition, questions, attention, hasLetters: _, ...rest } = entry;
  return {
    ...rest,
    ...questionsField(questions),
    ...attentionField(attention),
    ...(contact === undefined ? {} : { contact }),
    ...(parent === undefined ? {} : { parent }),
    ...(definition === undefined ? {} : { definition }),
  };
}

export function matchesFilter(entry: IndexEntry, filter: RecordFilter): boolean {
  const { kind, contact, parent, status, ended, asks, queue, owner, actedSince, definition } =
    filter;
  const { attention } = entry;
  return (
    (kind === undefined || entry.kind === kind) &&
    (contact === undefined || entry.contact === contact) &&
    (parent === undefined || entry.parent === parent) &&
    (status === undefined || entry.status === status) &&
    (ended === undefined || entry.ended === ended) &&
    (asks === undefined || entry.questions > 0 === asks) &&
    (queue === undefined || attention.queue === queue) &&
    (owner === undefined || attention.owner === owner) &&
    (actedSince === undefined || (attention.actedAt ?? -Infinity) >= actedSince) &&
    (definition === undefined ||
      (entry.definition?.name === definition.name &&
        (definition.version === undefined || entry.definition.version === definition.version)))
  );
}

const noTimers: readonly Timer[] = [];
const noAttention: Attention = {};
