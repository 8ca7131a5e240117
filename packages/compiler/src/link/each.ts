import {
  type ActorLogic,
  type ActorScope,
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  type Snapshot,
} from 'xstate';
import { isRecord, type Json } from '../json.ts';
import type { EachEvent, EachInput, EachOutput } from './each-contract.ts';
import {
  addedUp,
  firstWaiting,
  hasExceeded,
  hasFailed,
  mayStart,
  percentOf,
  recordEnding,
  type Work,
} from './each-work.ts';

export type EachSnapshot = Snapshot<EachOutput> & { readonly work: Work };

/** The stored form of an active actor: the inputs still needed, and a snapshot for each running item. */
interface StoredWork extends Omit<EachInput, 'items'> {
  readonly waiting: readonly Json[];
  readonly running: readonly { readonly index: number; readonly snapshot: Snapshot<unknown> }[];
  readonly results: readonly (Json | null)[];
  readonly failures: readonly number[];
}

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

  /** Starts the items that were running when the actor was stored, and all others that may run. */
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
      recordEnding(work, event);
      emitReports(work, scope);
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
   * Creates the next items that may run, 32 at most. The others follow while the first are waiting: items that end
   * immediately then never exist all at the same time, which halves the cost of an item.
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
      void firstAnswersArrived().then(() => {
        if (self.getSnapshot().status === 'active') self.send({ type: 'each.more' });
      });
    }
    return items;
  }
}

const mostAtOnce = 32;

/** Waits as many microtasks as an immediate answer of a port needs to reach its item. */
async function firstAnswersArrived(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}

/** The snapshot for the current progress: done once no item runs or waits, or too many have failed. */
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

/** Emits the reports that are due after one more item has ended. */
function emitReports({ reports, results, next, running, failures }: Work, scope: Scope): void {
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

function stopAll({ running }: Work, scope: Scope): void {
  const items = [...running.values()];
  running.clear();
  scope.defer(() => {
    for (const item of items) scope.stopChild(item);
  });
}
