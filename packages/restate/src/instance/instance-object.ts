import type { lifecycle } from '@dramaturg/compiler/format';
import type { Answer, HostError } from '@dramaturg/host';
import {
  badRequest,
  badStoreRequest,
  commitWrite,
  conflict,
  continuation,
  createWrite,
  forkingStatus,
  type InstanceState,
  isOwnEvent,
  type LiveInstance,
  recordExists,
  resetsTimers,
  type StepResult,
  timersIn,
  toCommitted,
  toPortError,
  unknownRecord,
} from '@dramaturg/host/engine';
import type { Change, Committed, LineRange, NewRecord } from '@dramaturg/host/store';
import {
  CancelledError,
  handlers,
  object,
  type ObjectContext,
  type ObjectSharedContext,
} from '@restatedev/restate-sdk';
import {
  type AnsweredAll,
  type CallOrder,
  type CallOutcome,
  type CreateOrder,
  type DeliveryOrder,
  type EventOrder,
  type GiveUpOrder,
  type ReadOrder,
  type ReceiptOrder,
  type ReportOrder,
  type RouteOrder,
  send,
  type WithdrawOrder,
} from './messages.ts';
import type { Engine } from '../engine.ts';
import { nothingRetained, type ServiceNames } from '../names.ts';
import { summaryOf } from '../records/record-object.ts';
import { outcomeOf } from '../restate/ingress.ts';
import type { Absence } from '../work/presence.ts';
import { abandon, adopt, create } from './children.ts';
import { fateOfMessage, giveUp, redeliver, settleDelivery } from './deliveries.ts';
import type { AbandonOrder, ChildOrder } from './family-letters.ts';
import { readLines } from './effects.ts';
import {
  type Alarm,
  appendLines,
  type Chunk,
  emptyHead,
  type Head,
  headKey,
  type LineKind,
  readerKey,
  readHead,
  readInstance,
  recordOf,
  writeSnapshot,
} from './state-layout.ts';
import { beginStored, type Decision, positionOf, sendErased, step } from './step.ts';

/** A call of a port may take an hour, and a channel may be out of order for days. */
const waitsLong = {
  inactivityTimeout: { days: 1 },
  abortTimeout: { minutes: 1 },
} as const;

/**
 * The virtual object of an instance: one step at a time (H3), with calls and deliveries in parallel.
 *
 * When Restate calls a handler again, it must write the same as before. So steps take their time from the caller and their
 * randomness from Restate, and depend only on these and the state.
 */
export function instanceObject(engine: Engine) {
  const { names, work } = engine;
  const { exclusive, shared } = handlers.object;
  const toSelf = (context: ObjectSharedContext, handler: string) => ({
    service: names.instance,
    key: context.key,
    handler,
  });
  const changes = <Order, Value>(
    handle: (context: ObjectContext, order: Order) => Promise<Value>,
  ) => exclusive((context: ObjectContext, order: Order) => outcomeOf(() => handle(context, order)));
  const reads = <Order, Value>(
    handle: (context: ObjectSharedContext, order: Order) => Promise<Value>,
  ) =>
    shared((context: ObjectSharedContext, order: Order) => outcomeOf(() => handle(context, order)));
  return object({
    name: names.instance,
    options: {
      enableLazyState: true,
      ...nothingRetained,
      retryPolicy: { initialInterval: 50, exponentiationFactor: 2, maxInterval: 2_000 },
    },
    handlers: {
      create: changes(async (context, order: CreateOrder) => {
        await create(engine, context, order);
        return positionOf(await readHead(context));
      }),

      take: changes((context, { at, event, isOutside }: EventOrder) =>
        step(engine, context, at, async (instance) => {
          if (isOutside && instance.performs && isOwnEvent(event.type)) throw ofHost(event.type);
          return { results: [await instance.decideEvent(event)] };
        }),
      ),

      takeAll: changes(async (context, { at, events }: RouteOrder): Promise<AnsweredAll> => {
        const answers: Answer[] = [];
        await step(engine, context, at, async (instance) => {
          const results: StepResult[] = [];
          for (const event of events) results.push(await instance.decideEvent(event));
          answers.push(...results.map(({ answer }) => answer));
          return { results };
        });
        return { answers, position: positionOf(await readHead(context)) };
      }),

      answer: changes((context, outcome: CallOutcome) =>
        step(engine, context, outcome.at, async (instance) => {
          const { letter, use } = outcome;
          return {
            results: [await instance.decideCall(letter, endingOf(outcome), use)],
            done: [letter],
          };
        }),
      ),

      adopt: changes((context, order: ChildOrder) => adopt(engine, context, order)),

      abandon: changes((context, order: AbandonOrder) => abandon(engine, context, order)),

      report: changes((context, { at, report }: ReportOrder) =>
        step(engine, context, at, async (instance) => ({
          results: [await instance.decideReported(report)],
        })),
      ),

      more: changes((context, { at }: { readonly at: number }) =>
        step(engine, context, at, async (instance) => ({
          results: [await instance.decideMore()],
          done: [continuation],
        })),
      ),

      wake: changes((context, alarm: Alarm) => wake(engine, context, alarm)),

      recover: changes((context, { at, stoppedAt }: RecoverOrder) =>
        step(engine, context, at, (instance, head) => recover(instance, head, stoppedAt)),
      ),

      receipt: changes((context, order: ReceiptOrder) => settleDelivery(engine, context, order)),

      redeliver: changes((context) => redeliver(engine, context)),

      giveUp: changes((context, order: GiveUpOrder) => giveUp(engine, context, order)),

      fate: reads((context, { message }: { readonly message: string }) =>
        fateOfMessage(context, message),
      ),

      /** Stores the number of journal lines that a reader has read. */
      noteRead: changes(async (context, { reader, lines }: ReadOrder) => {
        await readHead(context);
        context.set(readerKey(reader), lines);
      }),

      lineCount: reads(async (context) => (await readHead(context)).journal.lines),

      call: shared(waitsLong, async (context: ObjectSharedContext, order: CallOrder | null) => {
        if (!order) return;
        const outcome = await cancellable(context, 'call', (withdrawn) =>
          work.call(context.key, order, withdrawn),
        );
        if (outcome.ending) send(context, toSelf(context, 'answer'), outcome);
      }),

      deliver: shared(
        waitsLong,
        async (context: ObjectSharedContext, order: DeliveryOrder | null) => {
          if (!order) return;
          const { letter, body } = order;
          const outcome = await cancellable(context, 'deliver', (withdrawn) =>
            work.deliver(context.key, order, withdrawn),
          );
          const receipt: ReceiptOrder = { letter, route: body.to?.channel ?? '', ...outcome };
          send(context, toSelf(context, 'receipt'), receipt);
        },
      ),

      /** Whether the instance still waits for a call or a message. */
      isOpen: reads(async (context, { letter }: { readonly letter: string }) =>
        Object.hasOwn((await readHead(context)).work, letter),
      ),

      withdraw: shared(async (context: ObjectSharedContext, { work: withdrawn }: WithdrawOrder) =>
        cancelAll(context, names, withdrawn),
      ),

      createCopy: changes((context, record: NewRecord) => createCopy(engine, context, record)),

      continueCopy: changes((context, change: Change) => continueCopy(engine, context, change)),

      discardCopy: changes((context, progress: CopyProgress) =>
        discardCopy(engine, context, progress),
      ),

      delete: changes(async (context) => {
        const head = await context.get<Head>(headKey);
        context.clearAll();
        if (head) sendErased(context, names, head);
        return head !== null;
      }),

      position: reads(async (context) => {
        const head = await context.get<Head>(headKey);
        return head && positionOf(head);
      }),

      summary: reads(async (context) => {
        const head = await context.get<Head>(headKey);
        return head && summaryOf(head);
      }),

      read: reads(async (context) => (await readInstance(context)).record),

      lines: reads(
        async (
          context,
          { kind, range }: { readonly kind: LineKind; readonly range: LineRange },
        ) => {
          const head = await readHead(context);
          return readLines((key) => context.get<Chunk>(key), kind, head[kind], range);
        },
      ),
    },
  });
}

function endingOf({ ending, port }: CallOutcome) {
  if ('output' in ending) return { output: ending.output };
  return { error: toPortError(port, ending.error) };
}

function ofHost(type: string): HostError {
  return badRequest(`"${type}" is an event that only the host sends to its instances.`);
}

/**
 * Runs long work in the process that runs the invocation. When the invocation is cancelled, the signal aborts, and the work's
 * result then is the outcome. Another process that repeats a cancelled invocation does not have the work.
 *
 * The signal aborts too when the attempt is lost, such as by a cut connection: Restate calls the handler again, maybe in another
 * process. Then the work has no outcome.
 */
async function cancellable<Outcome extends object>(
  context: ObjectSharedContext,
  name: string,
  work: (withdrawn: AbortSignal) => Promise<Outcome>,
): Promise<Partial<Outcome> & { readonly at: number }> {
  const withdrawal = new AbortController();
  const lost = context.request().attemptCompletedSignal;
  lost.addEventListener('abort', () => withdrawal.abort(), { once: true });
  let ending: Promise<Outcome> | undefined;
  try {
    return await context.run(name, async () => {
      ending = work(withdrawal.signal);
      const outcome = await ending;
      // An outcome of abandoned work must never reach Restate.
      if (lost.aborted) await new Promise<never>(() => {});
      return { at: Date.now(), ...outcome };
    });
  } catch (error) {
    if (!(error instanceof CancelledError)) throw error;
    withdrawal.abort();
    return context.run(`${name} was cancelled`, async () => {
      const outcome: Partial<Outcome> = (await ending) ?? {};
      return { at: Date.now(), ...outcome };
    });
  }
}

/**
 * Cancels invocations by their idempotency keys. Sending again with its key returns the id of an invocation, wherever it runs. An
 * ended invocation is started again, with nothing to do.
 */
async function cancelAll(
  context: ObjectSharedContext,
  { instance: service }: ServiceNames,
  work: WithdrawOrder['work'],
): Promise<void> {
  const { key } = context;
  for (const { handler, key: idempotencyKey } of work) {
    const sent = send(context, { service, key, handler }, null, { idempotencyKey });
    context.cancel(await sent.invocationId);
  }
}

/** For `recover`. Times are milliseconds since 1970 UTC. */
export interface RecoverOrder {
  readonly at: number;
  /** When the last process ended. */
  readonly stoppedAt: number;
}

/** Fires the timers that are due. An alarm that was replaced does nothing. */
async function wake(
  engine: Engine,
  context: ObjectContext,
  { at, number }: Alarm,
): Promise<unknown> {
  const head = await readHead(context);
  if (head.alarm?.number !== number) return undefined;
  const { now, absence } = await context.run('time', () => ({
    now: Math.max(at, Date.now()),
    absence: engine.absence() ?? null,
  }));
  const pauses =
    absence &&
    covers(absence, at) &&
    resetsTimers((await engine.library.lifecycleOf(head.origin.definition!)).chart);
  return step(engine, context, now, async (instance) => {
    const results: StepResult[] = [];
    const isNew = pauses && head.recoveredFrom !== absence.from;
    if (isNew) results.push(await instance.decideEvent(recovered(absence.from)));
    const due = timersIn(instance.waits()).filter((timer) => timer.at <= now);
    for (const { key } of due.toSorted((one, other) => one.at - other.at))
      results.push(await instance.decideCall(key, { output: { firedAt: now } }));
    const changed = { alarm: null, ...(isNew && { recoveredFrom: absence.from }) };
    return { results, head: changed };
  });
}

/** Notifies an instance that no process was present, unless its alarm already has. */
async function recover(instance: LiveInstance, head: Head, stoppedAt: number): Promise<Decision> {
  if (head.recoveredFrom === stoppedAt) return { results: [] };
  const results = [await instance.decideEvent(recovered(stoppedAt))];
  return { results, head: { recoveredFrom: stoppedAt } };
}

function recovered(stopped_at: number) {
  return { type: 'instance.recovered', stopped_at } satisfies lifecycle.LifecycleEvent;
}

function covers({ from, until }: Absence, at: number): boolean {
  return from <= at && at <= until;
}

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
async function createCopy(
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
async function continueCopy(
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
async function discardCopy(
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
