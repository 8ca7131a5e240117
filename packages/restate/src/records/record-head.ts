import type { Attention, RecordOrigin, RecordSummary, Timer } from '@dramaturg/host/store';
import { attentionField } from '@dramaturg/host/engine';

/** The state key of the head of a record, in the objects of instances and of other records. Lists select heads with SQL. */
export const headKey = 'head';

/** The part of a head that lists return. */
export interface RecordHead {
  readonly origin: RecordOrigin;
  readonly status: string;
  readonly ended: boolean;
  readonly revision: number;
  /** Milliseconds since 1970 UTC. */
  readonly updatedAt: number;
  readonly timers: readonly Timer[];
  readonly questions: number;
  /** Absent when it would be empty, and in heads of earlier releases. */
  readonly attention?: Attention;
  /** Absent in records that have no lines. */
  readonly journal?: { readonly lines: number };
  readonly transcript?: { readonly lines: number };
}

export function summaryOf(head: RecordHead): RecordSummary {
  const { origin, status, ended, revision, updatedAt, timers, questions, attention } = head;
  return {
    ...origin,
    status,
    ended,
    revision,
    updatedAt,
    timers,
    ...(questions === 0 ? {} : { questions }),
    ...attentionField(attention),
    journalLength: head.journal?.lines ?? 0,
    transcriptLength: head.transcript?.lines ?? 0,
  };
}

export function headOf(summary: RecordSummary): RecordHead {
  const { id, kind, contact, parent, definition, createdAt } = summary;
  const { status, ended, revision, updatedAt, timers, questions = 0, attention } = summary;
  const origin: RecordOrigin = {
    id,
    kind,
    ...(contact === undefined ? {} : { contact }),
    ...(parent === undefined ? {} : { parent }),
    ...(definition === undefined ? {} : { definition }),
    createdAt,
  };
  const rest = attention === undefined ? {} : { attention };
  return { origin, status, ended, revision, updatedAt, timers, questions, ...rest };
}
