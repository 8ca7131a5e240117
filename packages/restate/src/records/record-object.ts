import type { Json } from '@dramaturg/compiler';
import {
  attentionField,
  changedSummary,
  commitWrite,
  conflict,
  createWrite,
  firstSummary,
  recordExists,
  toCommitted,
  unknownRecord,
} from '@dramaturg/host/engine';
import type {
  Attention,
  Change,
  Committed,
  NewRecord,
  RecordOrigin,
  RecordSummary,
  StoreRecord,
  Timer,
} from '@dramaturg/host/store';
import {
  handlers,
  object,
  type ObjectContext,
  type ObjectSharedContext,
} from '@restatedev/restate-sdk';
import { send } from '../instance/messages.ts';
import { type Outcome, outcomeOf } from '../restate/ingress.ts';
import { nothingRetained } from '../names.ts';

const snapshotKey = 'snapshot';

/**
 * The object of records that are not instances, by their ids: versions of definitions, save points, and the links from
 * contacts to copies. They have neither parts nor letters nor lines. Its handlers keep the rules of `Store`.
 *
 * @param name the name of the service
 */
export function recordObject(name: string) {
  return object({
    name,
    handlers: {
      create: (context: ObjectContext, record: NewRecord): Promise<Outcome<Committed>> =>
        outcomeOf(async () => {
          const write = createWrite(record);
          if (await context.get(headKey)) throw recordExists(write.id);
          const summary = firstSummary(write);
          context.set(snapshotKey, record.snapshot);
          context.set(headKey, headOf(summary));
          sendExpiry(name, context, summary);
          return toCommitted(summary);
        }),

      commit: (context: ObjectContext, change: Change): Promise<Outcome<Committed>> =>
        outcomeOf(async () => {
          const write = commitWrite(change);
          const head = await context.get<RecordHead>(headKey);
          if (!head) throw unknownRecord(write.id);
          if (head.revision !== write.expectedRevision)
            throw conflict(write.id, write.expectedRevision, head.revision);
          const summary = changedSummary(summaryOf(head), write);
          if (change.snapshot !== undefined) context.set(snapshotKey, change.snapshot);
          context.set(headKey, headOf(summary));
          sendExpiry(name, context, summary);
          return toCommitted(summary);
        }),

      /**
       * Deletes the content of a save point, unless it was saved again and so has another time than `at`. `at` is in milliseconds
       * since 1970 UTC.
       */
      expire: async (context: ObjectContext, { at }: { readonly at: number }): Promise<void> => {
        const head = await context.get<RecordHead>(headKey);
        if (!head?.timers.some((timer) => timer.at === at)) return;
        const revision = head.revision + 1;
        context.set(snapshotKey, null);
        context.set(headKey, { ...head, revision, updatedAt: at, status: 'expired', timers: [] });
      },

      delete: (context: ObjectContext): Promise<Outcome<boolean>> =>
        outcomeOf(async () => {
          const isKnown = (await context.get(headKey)) !== null;
          context.clearAll();
          return isKnown;
        }),

      read: handlers.object.shared(
        (context: ObjectSharedContext): Promise<Outcome<StoreRecord | null>> =>
          outcomeOf(async () => {
            const head = await context.get<RecordHead>(headKey);
            if (!head) return null;
            const snapshot = await context.get<Json>(snapshotKey);
            return { ...summaryOf(head), snapshot, parts: [], outbox: [] };
          }),
      ),
    },
    options: nothingRetained,
  });
}

/** Only save points have a timer, which deletes their content. */
function sendExpiry(service: string, context: ObjectContext, { timers }: RecordSummary): void {
  for (const { at } of timers) {
    const delay = Math.max(0, at - Date.now());
    send(context, { service, key: context.key, handler: 'expire' }, { at }, { delay });
  }
}

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

function headOf(summary: RecordSummary): RecordHead {
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
