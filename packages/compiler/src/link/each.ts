import {
  type ActorLogic,
  type ActorScope,
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  type Snapshot,
} from 'xstate';
import type { EachEvent, EachInput, EachOutput, ItemStart } from './each-contract.ts';
import {
  hasFailed,
  isOver,
  mayStart,
  outputOf,
  recordEnding,
  type PersistedEach,
  persistedFormOf,
  type Work,
  workOf,
} from './each-work.ts';
import { DramaturgError } from '../error.ts';
import { type ItemLoad, itemLoadOf, itemsPerPause, type Pause, unitsPerItem } from './pauses.ts';
import { workTaken } from './work.ts';

export type EachSnapshot = Snapshot<EachOutput> & { readonly work: Work };

type Scope = ActorScope<EachSnapshot, EachEvent>;

/**
 * Runs a machine for each item of a list. The actor of an item is a child of this actor, and its id is the item's index.
 *
 * Owns the actors of its items: it creates, starts, restores and stops them, and nothing else does. States: active until
 * all items have ended or too many have failed, then done; stopped when its parent stops it.
 *
 * It is actor logic and not a machine because a machine that spawns copies the record of its children each time: 2 ms for
 * an item among 10,000.
 */
export class EachLogic implements ActorLogic<EachSnapshot, EachEvent, EachInput> {
  readonly machine: AnyStateMachine;
  readonly pause: Pause;

  constructor(machine: AnyStateMachine, pause: Pause) {
    this.machine = machine;
    this.pause = pause;
  }

  getInitialSnapshot(_: Scope, input: EachInput): EachSnapshot {
    return snapshotOf(workOf(input));
  }

  /** Starts the items that were running when the actor was stored, and others that may run; the first of these immediately. */
  start({ work }: EachSnapshot, scope: Scope): void {
    for (const item of work.running.values()) item.start();
    if (work.isFilling || work.next > 0) this.#fill(work, scope);
    else for (const item of this.#nextItems(work, scope)) item.start();
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
      itemLoadOf(scope.self).running -= 1;
      recordEnding(work, event);
      emitReports(work, scope);
    } else {
      work.isFilling = false;
    }
    if (mayStart(work) && isFull(scope) && !hasFailed(work)) {
      stopAll(work, scope);
      return {
        ...snapshot,
        status: 'error',
        error: new TooManyItemsError(itemLoadOf(scope.self)),
        output: undefined,
      };
    }
    if (hasFailed(work)) stopAll(work, scope);
    else for (const item of this.#nextItems(work, scope)) scope.defer(() => item.start());
    return snapshotOf(work);
  }

  getPersistedSnapshot({ work, ...rest }: EachSnapshot): Snapshot<unknown> {
    return rest.status === 'active' ? persistedFormOf(work) : rest;
  }

  restoreSnapshot(snapshot: Snapshot<unknown>, { self }: Scope): EachSnapshot {
    if (snapshot.status !== 'active') return snapshot as EachSnapshot;
    const { work: stored } = snapshot as unknown as PersistedEach;
    const work = workOf(stored.input, stored);
    for (const { index, snapshot: item } of stored.running.flat()) {
      const options = { parent: self, id: String(index), snapshot: item };
      work.running.set(index, createActor(this.machine, options));
    }
    itemLoadOf(self).running += work.running.size;
    return { ...(snapshot as EachSnapshot), work };
  }

  /**
   * Creates the next items that may run, at most 32 together with those of other lists. The others follow after a pause in which
   * the first are answered. So items that end immediately never all exist at the same time, which halves the cost of an item.
   */
  #nextItems(work: Work, scope: Scope): AnyActorRef[] {
    const created: AnyActorRef[] = [];
    if (work.isFilling) return created;
    const { items, shared, tally } = work.input;
    const load = itemLoadOf(scope.self);
    while (mayStart(work) && load.created < itemsPerPause && !isFull(scope)) {
      const before = workTaken();
      load.running += 1;
      const index = work.next;
      work.next += 1;
      const input: ItemStart = {
        index,
        item: items[index]!,
        ...(shared && { shared }),
        ...(tally && { tally: { ...work.sums } }),
      };
      const item = createActor(this.machine, { parent: scope.self, id: String(index), input });
      work.running.set(index, item);
      created.push(item);
      load.created += 1 + (workTaken() - before) / unitsPerItem;
    }
    this.#fill(work, scope);
    return created;
  }

  /** Creates more items after a pause, when more may run. */
  #fill(work: Work, { self }: Scope): void {
    work.isFilling = mayStart(work);
    if (!work.isFilling) return;
    this.pause(self, () => {
      if (self.getSnapshot().status === 'active') self.send({ type: 'each.more' });
    });
  }
}

function isFull({ self }: Scope): boolean {
  const { running, runningMax, refusal } = itemLoadOf(self);
  return running >= runningMax || refusal !== undefined;
}

class TooManyItemsError extends DramaturgError<'port/limit-reached'> {
  override readonly name = 'TooManyItemsError';

  constructor({ runningMax, refusal }: ItemLoad) {
    const count = runningMax.toLocaleString('en');
    super(
      'port/limit-reached',
      refusal ??
        `More than ${count} items would run at once, those of lists in lists together. Set a lower concurrency for the outer list.`,
    );
  }
}

/** The snapshot for the current progress: done once no item runs or waits, or too many have failed. */
function snapshotOf(work: Work): EachSnapshot {
  return isOver(work)
    ? { status: 'done', output: outputOf(work), error: undefined, work }
    : { status: 'active', output: undefined, error: undefined, work };
}

/** Emits the reports that are due after one more item has ended. */
function emitReports({ input, next, running, failures }: Work, scope: Scope): void {
  const { items, reports } = input;
  if (!reports) return;
  const total = items.length;
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

/** With two decimal places. */
function percentOf(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 100;
}

function stopAll({ running }: Work, scope: Scope): void {
  const items = [...running.values()];
  itemLoadOf(scope.self).running -= items.length;
  running.clear();
  scope.defer(() => {
    for (const item of items) scope.stopChild(item);
  });
}
