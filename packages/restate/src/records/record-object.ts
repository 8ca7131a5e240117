import { type NewRecord, StoreError, type StoreRecord } from '@dramaturg/host';
import {
  handlers,
  object,
  type ObjectContext,
  type ObjectSharedContext,
} from '@restatedev/restate-sdk';
import { outcomeOf } from '../restate/outcome.ts';

const recordKey = 'record';

/** The virtual object of a record that is not an instance: a version of a definition, a save point. */
export function recordObject(name: string) {
  const { exclusive, shared } = handlers.object;
  return object({
    name,
    options: { journalRetention: 0 },
    handlers: {
      create: exclusive(async (context: ObjectContext, record: NewRecord) =>
        outcomeOf(async () => {
          if (await context.get(recordKey))
            throw new StoreError(
              'store/exists',
              `There is a record ${JSON.stringify(record.id)} already.`,
            );
          const { id, kind, createdAt, status, snapshot } = record;
          const stored: StoreRecord = {
            id,
            kind,
            createdAt,
            status,
            ended: false,
            revision: 1,
            updatedAt: createdAt,
            timers: [],
            journalLength: 0,
            transcriptLength: 0,
            snapshot,
            parts: [],
            outbox: [],
          };
          context.set(recordKey, stored);
          return { revision: 1, journalLength: 0, transcriptLength: 0 };
        }),
      ),

      read: shared(async (context: ObjectSharedContext) =>
        outcomeOf(() => context.get<StoreRecord>(recordKey)),
      ),
    },
  });
}
