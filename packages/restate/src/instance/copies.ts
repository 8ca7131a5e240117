import type { Change, Committed, NewRecord } from '@dramaturg/host/store';
import {
  badStoreRequest,
  commitWrite,
  conflict,
  createWrite,
  forkingStatus,
  type InstanceState,
  recordExists,
  toCommitted,
  unknownRecord,
} from '@dramaturg/host/engine';
import type { ObjectContext } from '@restatedev/restate-sdk';
import type { Engine } from '../engine.ts';
import { send } from './messages.ts';
import {
  appendLines,
  emptyHead,
  type Head,
  headKey,
  recordOf,
  writeSnapshot,
} from './state-layout.ts';
import { beginStored } from './step.ts';

/** An incomplete copy without a new page for this long, in milliseconds, is deleted: the process that made it has ended. */
const pageWaitMs = 600_000;

/** For `discardCopy`: the progress of the copy when the check was scheduled. */
export interface CopyProgress {
  readonly revision: number;
}

/**
 * Stores the first page of a copy that is made by repeating steps. A copy with another status than `forking` is complete, and
 * begins.
 *
 * @throws StoreError `store/exists`
 */
export async function createCopy(
  engine: Engine,
  context: ObjectContext,
  record: NewRecord,
): Promise<Committed> {
  const { origin, id } = createWrite(record);
  if (await context.get<Head>(headKey)) throw recordExists(id);
  const nothing = emptyHead(origin, forkingStatus, record.createdAt);
  const { outbox = [], parts: _, ...fields } = record;
  return write(engine, context, nothing, { ...fields, effects: outbox });
}

/**
 * Stores the next page of a copy.
 *
 * @throws StoreError `store/unknown`, `store/conflict`, `store/bad-request` when the copy is complete
 */
export async function continueCopy(
  engine: Engine,
  context: ObjectContext,
  change: Change,
): Promise<Committed> {
  const { id, expectedRevision } = commitWrite(change);
  const head = await context.get<Head>(headKey);
  if (!head) throw unknownRecord(id);
  if (head.revision !== expectedRevision) throw conflict(id, expectedRevision, head.revision);
  if (head.status !== forkingStatus)
    throw badStoreRequest('Only the object of an instance writes the instance.');
  return write(engine, context, head, change);
}

/** Deletes a copy that was not completed. */
export async function discardCopy(
  { names }: Engine,
  context: ObjectContext,
  { revision }: CopyProgress,
): Promise<void> {
  const head = await context.get<Head>(headKey);
  if (head?.status !== forkingStatus) return;
  if (head.revision === revision) context.clearAll();
  else discardLater(names.instance, context, head);
}

async function write(
  engine: Engine,
  context: ObjectContext,
  before: Head,
  fields: Partial<Change>,
): Promise<Committed> {
  const { status, ended, timers, questions, attention, effects, snapshot, updatedAt } = fields;
  const { address, channel } = snapshot as unknown as InstanceState;
  const revision = before.revision + 1;
  const head: Head = {
    ...before,
    status: status ?? before.status,
    ended: ended ?? before.ended,
    timers: timers ?? before.timers,
    questions: questions ?? before.questions,
    ...(attention && { attention }),
    outbox: effects ?? before.outbox,
    updatedAt: updatedAt ?? before.updatedAt,
    revision,
    address,
    channel,
    ...appendLines(context, before, fields),
    ...writeSnapshot(context, before, { revision, snapshot: snapshot! }),
  };
  context.set(headKey, head);
  if (head.status !== forkingStatus) await beginStored(engine, context);
  else if (head.revision === 1) discardLater(engine.names.instance, context, head);
  return toCommitted(recordOf(head, null, []));
}

function discardLater(service: string, context: ObjectContext, { revision }: Head): void {
  const progress: CopyProgress = { revision };
  send(context, { service, key: context.key, handler: 'discardCopy' }, progress, {
    delay: pageWaitMs,
  });
}
