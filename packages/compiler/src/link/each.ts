import {
  type ActorLogic,
  type ActorScope,
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type Snapshot,
} from 'xstate';
import { isRecord, type Json, type JsonObject } from '../json.ts';

/** What an `each` call is asked: to run its chart once for each item. */
export interface EachInput {
  /** The input of each item's machine. */
  readonly items: readonly Json[];
  /** How many may run at once; 0 is no limit. */
  readonly concurrency: number;
  /** How many may fail before the rest is stopped; null is no limit. */
  readonly tolerated: number | null;
  /** Adds up what items say of themselves, and stops the rest when it is too much. */
  readonly tally?: Tally;
  readonly reports?: Reports;
}

/** What the actor emits as items end. */
interface Reports {
  /** Emitted with `percentage`, `total`, `completed`, `inProgress`, `pending` and `failed`, each time an item has ended. */
  readonly event: EventObject & JsonObject;
  /** Emitted once such a percentage of the items has ended, from above 0 to 100. */
  readonly milestones: readonly { readonly at: number; readonly event: EventObject & JsonObject }[];
}

interface Tally {
  /** A field of the outputs: an object, whose numbers are added up. An item that starts has the sums as its `tally`. */
  readonly field: string;
  /** The sums that must not be passed, by the name of the number. */
  readonly limits: Readonly<Record<string, number>>;
}

export interface EachOutput {
  /**
   * The output of each item's machine, in the order of the items; null where it did not run to its end. An item whose
   * actor broke has `{ status: 'failed', error: 'States.Runtime', cause }`, where the cause is the error's message.
   */
  readonly results: readonly (Json | null)[];
  /**
   * The indexes of the items that failed, in order of time. An item has failed when its actor broke, or when its output
   * is an object that has a `status` other than `succeeded`.
   */
  readonly failures: readonly number[];
  /** More items failed than were tolerated: those that ran were stopped, and the others were not started. */
  readonly stopped: boolean;
  /** A limit of the tally was passed, which stops the work too. */
  readonly exceeded?: true;
}

export type EachEvent =
  /** Hands an event on to the machine of an item; nothing happens when it does not run. */
  | { readonly type: 'each.forward'; readonly index: number; readonly event: EventObject }
  /** Of the actor to itself: items may wait that may run. */
  | { readonly type: 'each.more' }
  | EventFromItem
  | { readonly type: 'xstate.stop' };

type EventFromItem =
  | {
      readonly type: `xstate.done.actor.${string}`;
      readonly actorId: string;
      readonly output: Json | undefined;
    }
  | {
      readonly type: `xstate.error.actor.${string}`;
      readonly actorId: string;
      readonly error: unknown;
    };

export type EachSnapshot = Snapshot<EachOutput> & { readonly work: Work };

/**
 * How far the work has come. One object for the life of an actor, and the only thing here that changes in place: lists
 * copied at each event would make the work quadratic in the number of its items.
 */
interface Work {
  readonly concurrency: number;
  readonly tolerated: number | null;
  /** The inputs of the last items, of all that had not been started when the actor was made. */
  readonly waiting: readonly Json[];
  /** Index of the next item to start. */
  next: number;
  /** More items are about to be started: an `each.more` is on its way. */
  isFilling: boolean;
  readonly running: Map<number, AnyActorRef>;
  readonly results: (Json | null)[];
  readonly failures: number[];
  readonly tally: Tally | undefined;
  readonly reports: Reports | undefined;
  readonly sums: Record<string, number>;
}

/** What is stored of an active actor: nothing that an item has used up, and each running item's own snapshot. */
interface StoredWork extends Omit<EachInput, 'items'> {
  readonly waiting: readonly Json[];
  readonly running: readonly { readonly index: number; readonly snapshot: Snapshot<unknown> }[];
  readonly results: readonly (Json | null)[];
  readonly failures: readonly number[];
}

type Scope = ActorScope<EachSnapshot, EachEvent>;

/**
 * Runs a machine for each item of a list: an actor for each, a child of this one with the item's index as its id. It is
 * actor logic of its own because a machine that spawns copies the record of its children each time: 2 ms for an item
 * among 10,000.
 */
export class EachLogic implements ActorLogic<EachSnapshot, EachEvent, EachInput> {
  readonly machine: AnyStateMachine;

  constructor(machine: AnyStateMachine) {
    this.machine = machine;
  }

  getInitialSnapshot(
    _: Scope,
    { items, concurrency, tolerated, tally, reports }: EachInput,
  ): EachSnapshot {
    const results = Array.from(items, () => null);
    return snapshotOf({
      concurrency,
      tolerated,
      waiting: items,
      next: 0,
      isFilling: false,
      running: new Map(),
      results,
      failures: [],
      tally,
      reports,
      sums: {},
    });
  }

  /** Starts what was running when the actor was stored, and what else may run. */
  start({ work }: EachSnapshot, scope: Scope): void {
    for (const item of work.running.values()) item.start();
    for (const item of this.#nextItems(work, scope)) item.start();
  }

  transition(snapshot: EachSnapshot, event: EachEvent, scope: Scope): EachSnapshot {
    if (snapshot.status !== 'active') return snapshot;
    const { work } = snapshot;
    if (event.type === 'xstate.stop') {
      stopAll(work, scope);
      return { ...snapshot, status: 'stopped', output: undefined, error: undefined };
    }
    if (event.type === 'each.forward') {
      const { index, event: forwarded } = event;
      scope.defer(() => work.running.get(index)?.send(forwarded));
      return snapshot;
    }
    if ('actorId' in event) {
      if (!work.running.delete(Number(event.actorId))) return snapshot;
      record(work, event);
      tellEnded(work, scope);
    } else work.isFilling = false;
    if (hasFailed(work)) stopAll(work, scope);
    else for (const item of this.#nextItems(work, scope)) scope.defer(() => item.start());
    return snapshotOf(work);
  }

  getPersistedSnapshot(snapshot: EachSnapshot): Snapshot<unknown> {
    const { work, ...rest } = snapshot;
    if (rest.status !== 'active') return rest;
    const { concurrency, tolerated, waiting, running, next, results, failures, tally, reports } =
      work;
    const stored: StoredWork = {
      concurrency,
      tolerated,
      waiting: waiting.slice(next - firstWaiting(work)),
      running: Array.from(running, ([index, item]) => ({
        index,
        snapshot: item.getPersistedSnapshot(),
      })),
      results: [...results],
      failures: [...failures],
      ...(tally && { tally }),
      ...(reports && { reports }),
    };
    return { ...rest, work: stored } as Snapshot<unknown>;
  }

  restoreSnapshot(stored: Snapshot<unknown>, { self }: Scope): EachSnapshot {
    if (stored.status !== 'active') return stored as EachSnapshot;
    const { waiting, running, results, failures, tally, reports, ...limits } = (
      stored as unknown as { readonly work: StoredWork }
    ).work;
    return {
      ...(stored as EachSnapshot),
      work: {
        ...limits,
        waiting,
        next: results.length - waiting.length,
        isFilling: false,
        running: new Map(
          running.map(({ index, snapshot }) => [
            index,
            createActor(this.machine, { parent: self, id: String(index), snapshot }),
          ]),
        ),
        results: [...results],
        failures: [...failures],
        tally,
        reports,
        sums: results.reduce<Record<string, number>>(
          (sums, output) => addedUp(sums, output, tally),
          {},
        ),
      },
    };
  }

  /**
   * The next items that may run. When more of them may than are made at once, the others follow while the first are
   * waiting: of items that are done at once, few are then alive at the same time, which halves what an item costs.
   */
  #nextItems(work: Work, { self }: Scope): AnyActorRef[] {
    const items: AnyActorRef[] = [];
    if (work.isFilling) return items;
    while (mayStart(work) && items.length < mostAtOnce) {
      const index = work.next;
      work.next += 1;
      const given = work.waiting[index - firstWaiting(work)];
      const input = work.tally && isRecord(given) ? { ...given, tally: { ...work.sums } } : given;
      const item = createActor(this.machine, { parent: self, id: String(index), input });
      work.running.set(index, item);
      items.push(item);
    }
    work.isFilling = mayStart(work);
    if (work.isFilling) {
      void anAnswerMayBeBack().then(() => {
        if (self.getSnapshot().status === 'active') self.send({ type: 'each.more' });
      });
    }
    return items;
  }
}

const mostAtOnce = 32;

/** As many turns of the microtask queue as it takes an answer that is there at once to come back to its item. */
async function anAnswerMayBeBack(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}

/** The work as it stands: done once nothing runs and nothing waits, or too much has failed. */
function snapshotOf(work: Work): EachSnapshot {
  const stopped = hasFailed(work);
  if (!stopped && (work.running.size > 0 || work.next < work.results.length))
    return { status: 'active', output: undefined, error: undefined, work };
  const { results, failures } = work;
  const output = {
    results,
    failures,
    stopped,
    ...(hasExceeded(work) && { exceeded: true as const }),
  };
  return { status: 'done', output, error: undefined, work };
}

function record({ results, failures, tally, sums }: Work, event: EventFromItem): void {
  const index = Number(event.actorId);
  if ('error' in event) {
    const { error } = event;
    const cause = error instanceof Error ? error.message : String(error);
    results[index] = { status: 'failed', error: 'States.Runtime', cause };
    failures.push(index);
    return;
  }
  const { output = null } = event;
  results[index] = output;
  addedUp(sums, output, tally);
  if (isRecord(output) && output['status'] !== undefined && output['status'] !== 'succeeded')
    failures.push(index);
}

/** An item has ended, which makes one more than before. */
function tellEnded({ reports, results, next, running, failures }: Work, scope: Scope): void {
  if (!reports) return;
  const total = results.length;
  const ended = next - running.size;
  const percentage = percentOf(ended, total);
  const before = percentOf(ended - 1, total);
  const counts = {
    percentage,
    total,
    completed: ended - failures.length,
    inProgress: running.size,
    pending: total - next,
    failed: failures.length,
  };
  const reached = reports.milestones.filter(({ at }) => at > before && at <= percentage);
  const events = [{ ...reports.event, ...counts }, ...reached.map(({ event }) => event)];
  scope.defer(() => {
    for (const event of events) scope.emit(event);
  });
}

/** With two places. */
function percentOf(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 100;
}

/** Adds the numbers of an output to the sums. */
function addedUp(
  sums: Record<string, number>,
  output: Json | null,
  tally: Tally | undefined,
): Record<string, number> {
  const part = tally && isRecord(output) ? output[tally.field] : undefined;
  if (!isRecord(part)) return sums;
  for (const [name, amount] of Object.entries(part)) {
    if (typeof amount === 'number' && name !== '__proto__') {
      sums[name] = (Object.hasOwn(sums, name) ? sums[name]! : 0) + amount;
    }
  }
  return sums;
}

function hasExceeded({ tally, sums }: Work): boolean {
  if (!tally) return false;
  return Object.entries(tally.limits).some(
    ([name, most]) => Object.hasOwn(sums, name) && sums[name]! > most,
  );
}

function hasFailed(work: Work): boolean {
  const { failures, tolerated } = work;
  return (tolerated !== null && failures.length > tolerated) || hasExceeded(work);
}

function mayStart({ next, results, running, concurrency }: Work): boolean {
  return next < results.length && (concurrency === 0 || running.size < concurrency);
}

function stopAll({ running }: Work, scope: Scope): void {
  const items = [...running.values()];
  running.clear();
  scope.defer(() => {
    for (const item of items) scope.stopChild(item);
  });
}

function firstWaiting({ results, waiting }: Work): number {
  return results.length - waiting.length;
}
