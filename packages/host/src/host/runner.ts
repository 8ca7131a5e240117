import type { EventObject } from '@dramaturg/compiler';
import { instanceSetAside } from '../errors.ts';
import type { Answer } from '../instance/event.ts';
import type { LiveInstance } from '../instance/live-instance.ts';
import { stepInputIn } from '../instance/step-input.ts';
import type {
  StateChange,
  StepChange,
  StepLines,
  StepResult,
  StoredSteps,
} from '../instance/step-result.ts';
import { WorkLeftError } from '../instance/work-left-error.ts';
import type { Committed, Letter } from '../store/contract.ts';
import { answerInThread } from '../threads/threads.ts';
import { Backlog, tooManyEvents } from './backlog.ts';
import { withCursors } from './event-cursor.ts';
import { LetterCarrier } from './letter-carrier.ts';
import { MessageSender } from './message-sender.ts';
import { PortCalls } from './port-calls.ts';
import { setAside } from './quarantine.ts';
import type { DecideStep, RunnerContext, StepKind } from './runner-context.ts';
import type { RunnerServices } from './runner-services.ts';
import { type StepTask, TaskQueue } from './task-queue.ts';

/** A decision with more events than this is stored in a turn of the event loop of its own. */
const mostEventsInTurn = 200;

/** The facts about an instance that the queue of its contact needs. */
export interface StoredStatus {
  readonly status: string;
  readonly ended: boolean;
  readonly holds: boolean;
}

export interface RunnerListeners {
  /** Steps were stored and applied: there may be new timers, and the contact may be free. */
  readonly onCommit: (runner: Runner, stored: StoredSteps) => void;
  /** The instance in memory may differ from the stored one: it has to be loaded again. */
  readonly onBroken: (runner: Runner, error: unknown) => void;
  readonly onIdle: (runner: Runner) => void;
}

type RunnerState =
  | { readonly type: 'running' }
  /** The host stops: stored steps are no longer applied. */
  | { readonly type: 'halted' }
  /** A step failed: every later step fails with the same error. */
  | { readonly type: 'broken'; readonly error: Error };

/**
 * Owns one active instance: the queue of its steps, the revision of its record, and everything that runs for it.
 *
 * One event is handled at a time, in order of arrival (H3). Each step is decided, committed whole, and only then applied
 * (H2): calls are made, messages are sent, events are published. When any of this fails, the runner breaks, and the
 * instance is loaded again as it was stored.
 *
 * States: `running` → `halted` or `broken`; a halted runner can still break.
 */
export class Runner {
  readonly instance: LiveInstance;
  readonly calls: PortCalls;
  readonly sender: MessageSender;
  readonly #services: RunnerServices;
  readonly #listeners: RunnerListeners;
  readonly #carrier: LetterCarrier;
  #state: RunnerState = { type: 'running' };
  #revision: number;
  /** How many lines of the journal are stored. */
  #journalLength: number;
  #stored: StoredStatus;
  /** Whether a step is queued in which the flow starts more items. */
  #isContinuing = false;
  readonly #backlog: Backlog;
  readonly #queue: TaskQueue;
  /** Whether the instance is set aside: neither decided nor served until it is resumed or cancelled. */
  #isSetAside: boolean;

  constructor(
    instance: LiveInstance,
    { revision, journalLength }: Pick<Committed, 'revision' | 'journalLength'>,
    services: RunnerServices,
    listeners: RunnerListeners,
  ) {
    this.instance = instance;
    this.#revision = revision;
    this.#journalLength = journalLength;
    this.#services = services;
    this.#listeners = listeners;
    this.#stored = statusOf(instance);
    this.#isSetAside = instance.attention.queue === setAside;
    this.#backlog = new Backlog(services.inboxLimits);
    instance.noteStored();
    instance.leavesWork = answerInThread !== undefined;
    this.#queue = new TaskQueue({
      runSteps: (tasks) => this.#runSteps(tasks),
      failure: () => (this.#state.type === 'broken' ? this.#state.error : undefined),
      onFailure: (error) => this.#break(error),
      activity: services.activity,
      onEmpty: () => this.#restIfIdle(),
    });
    const context: RunnerContext = {
      instance,
      services,
      isRunning: () => this.#state.type === 'running',
      step: (decide, kind) => this.step(decide, kind),
      betweenSteps: (work) => this.#queue.betweenSteps(work),
      breakOff: (error) => this.#break(error),
      noteJournalLine: () => (this.#journalLength += 1),
      onRest: () => this.#restIfIdle(),
    };
    this.calls = new PortCalls(context);
    this.sender = new MessageSender(context);
    this.#carrier = new LetterCarrier(context);
  }

  /** The stored status. The instance in memory may be a step ahead. */
  get stored(): StoredStatus {
    return this.#stored;
  }

  /** Whether nothing runs for the instance, so that it can be evicted. Calls and messages may wait for slots. */
  get isIdle(): boolean {
    const areIdle = this.calls.isIdle && this.sender.isIdle && this.#carrier.isIdle;
    return this.#queue.isEmpty && areIdle;
  }

  /** Settles when all queued steps are stored and published. Calls and deliveries may still run. */
  get settled(): Promise<unknown> {
    return this.#queue.settled;
  }

  /** Settles when the letters to parents and children are carried, or the instance breaks. */
  get carried(): Promise<void> {
    return this.#carrier.carried;
  }

  /** Queues the open calls and messages of the stored instance (H4). */
  start(): void {
    this.#apply();
  }

  /**
   * Queues an event for the instance. One from outside is refused immediately while too many wait.
   *
   * @returns the answer, once the effect of the event is stored (H1). After a crash, a sender without an answer sends the
   *   event again.
   */
  async receive(event: EventObject, from: 'outside' | 'host' = 'outside'): Promise<Answer> {
    if (from === 'outside' && !this.#backlog.add(event)) return tooManyEvents(this.#stored.status);
    try {
      const kind = event.type === 'message.received' ? 'message' : 'other';
      const decide: DecideStep = this.#isSetAside
        ? this.#decideAfterQuarantine(event)
        : (instance) => instance.decideEvent(event);
      return await this.#queue.step(decide, kind);
    } finally {
      if (from === 'outside') this.#backlog.remove(event);
    }
  }

  #decideAfterQuarantine(event: EventObject): DecideStep {
    const { id } = this.instance;
    if (event.type !== 'cancel' && event.type !== 'resume') throw instanceSetAside(id);
    this.#isSetAside = false;
    this.#services.quarantine.retry(id, this.#revision);
    // A letter makes it continue. Its lifecycle does not know that it was set aside.
    if (event.type === 'resume') return (instance) => instance.decideMore();
    return (instance) => instance.decideEvent(event);
  }

  /** Queues a step: decides, commits and applies it. */
  async step(decide: DecideStep, kind: StepKind = 'other'): Promise<Answer> {
    if (this.#isSetAside) throw instanceSetAside(this.instance.id);
    return this.#queue.step(decide, kind);
  }

  /**
   * Stops everything that runs. The next runner of the instance continues from the store.
   *
   * @param texts of the replies in progress: forgotten, so that subscribers keep them until the next runner goes on, or withdrawn
   * when there may be no next runner
   */
  halt({ texts }: { readonly texts: 'forget' | 'withdraw' }): void {
    if (this.#state.type === 'running') this.#state = { type: 'halted' };
    this.calls.abortAll(texts);
  }

  /**
   * When a message fails, the messages before it are still stored. When an answer fails, the answers before it are lost: their
   * calls are made again, as after a crash.
   */
  async #runSteps(tasks: readonly StepTask[]): Promise<void> {
    const { monitor, nextTurn, publish, quarantine } = this.#services;
    const { id } = this.instance;
    // After a start of the host, work that may block the process is noted first.
    const entering = quarantine.enter(id, this.#revision);
    const leave = entering && (await entering);
    try {
      const decided = await this.#decideAll(tasks);
      if (decided instanceof WorkLeftError) return await this.#decideAgain(tasks, decided);
      const { results, change, failure } = decided;
      const events = withCursors(results, this.#journalLength);
      // Small steps do not wait for others: a person would wait behind a backlog.
      const isLong = events.length > mostEventsInTurn;
      if (isLong) await nextTurn();
      await this.#commit(change);
      if (isLong) await nextTurn();
      const begunAt = monitor.begin();
      publish(id, events);
      if (!failure) this.#apply();
      monitor.end(begunAt, this.instance, () => 'start calls and messages');
      if (results.length > 0)
        this.#listeners.onCommit(this, { events, timers: change?.timers ?? [] });
      for (const [index, { answer }] of results.entries()) tasks[index]!.resolve(answer);
      if (failure) throw failure.error;
    } finally {
      leave?.(this.#revision);
    }
  }

  /** @returns the results up to the first failure, and their change; or the work that a step has left to a thread */
  async #decideAll(tasks: readonly StepTask[]): Promise<Decided | WorkLeftError> {
    const { monitor } = this.#services;
    const results: StepResult[] = [];
    const changes: StepChange[] = [];
    const lines: StepLines[] = [];
    // With many open calls, taking a change costs more than a step.
    const takeChange = () => {
      const taken = lines.splice(0);
      if (taken.length > 0) changes.push(changeOf(taken, this.instance.takeChange()));
    };
    let failure: Decided['failure'];
    for (const { decide, kind } of tasks) {
      try {
        const begunAt = monitor.begin();
        const { waitCount } = this.instance;
        const deciding = decide(this.instance);
        monitor.wait(begunAt);
        const result = await deciding;
        results.push(result);
        if (result.lines) lines.push(result.lines);
        if (kind === 'message') takeChange();
        // Such a decision waits only for promises, so only other decisions run in between.
        if (this.instance.waitCount === waitCount)
          monitor.end(begunAt, this.instance, () => `decide ${inputOf(result)}`);
      } catch (error) {
        if (error instanceof WorkLeftError) return error;
        failure = { error };
        break;
      }
    }
    if (!failure) takeChange();
    else if (lines.length > 0) results.length = 0;
    return { results, change: mergedChanges(changes), failure };
  }

  /** Decides steps again, one by one, when one of them has left work to a thread. Nothing of them is stored. */
  async #decideAgain(tasks: readonly StepTask[], error: WorkLeftError): Promise<void> {
    const step = tasks.length === 1 ? await error.again(answerInThread!) : undefined;
    const record = await this.#services.store.read(this.instance.id);
    if (record === undefined) throw error;
    this.instance.restart(record, step);
    for (const task of tasks) await this.#runSteps([task]);
  }

  /** @param change undefined when nothing has changed, as after a refused event or the outcome of an aborted call */
  async #commit(change: StepChange | undefined): Promise<void> {
    const { id } = this.instance;
    const { store, monitor } = this.#services;
    // A refusal is an answer from memory: it is correct only while no other host has the instance.
    if (change === undefined) return store.ownership.confirm();
    const begunAt = monitor.begin();
    const committing = store.commit({
      ...this.instance.storedForm.of(change),
      id,
      expectedRevision: this.#revision,
    });
    monitor.end(begunAt, this.instance, () => 'write a step');
    const committed = await committing;
    this.instance.storedForm.stored(committed);
    this.#revision = committed.revision;
    this.#journalLength = committed.journalLength;
    this.instance.noteStored();
    const { status, ended, state } = change;
    this.#stored = { status, ended, holds: state.holds };
  }

  /** Applies the stored decisions. */
  #apply(): void {
    if (this.#state.type !== 'running' || this.#isSetAside) return;
    this.calls.apply();
    this.sender.apply();
    this.#carrier.apply();
    if (this.instance.hasMore && !this.#isContinuing) void this.#continue();
  }

  /** Lets the flow start more items, in a step of its own. */
  async #continue(): Promise<void> {
    this.#isContinuing = true;
    const done = this.step((instance) => {
      this.#isContinuing = false;
      return instance.decideMore(this.#services.refusalOfItems());
    });
    // A failed step has broken the runner.
    await done.catch(() => {});
  }

  #break(error: unknown): void {
    if (this.#state.type === 'broken') return;
    this.#state = {
      type: 'broken',
      error: error instanceof Error ? error : new Error(String(error)),
    };
    this.calls.abortAll('forget');
    this.#listeners.onBroken(this, error);
  }

  #restIfIdle(): void {
    if (this.isIdle && this.#state.type === 'running') this.#listeners.onIdle(this);
  }
}

function changeOf(lines: readonly StepLines[], change: StateChange): StepChange {
  return {
    ...change,
    journal: lines.flatMap(({ journal }) => journal),
    transcript: lines.flatMap(({ transcript }) => transcript),
  };
}

/** Steps that were decided together, and not stored yet. */
interface Decided {
  readonly results: readonly StepResult[];
  /** Undefined when nothing has changed. */
  readonly change: StepChange | undefined;
  readonly failure: { readonly error: unknown } | undefined;
}

/** The input of a step, in words. */
function inputOf({ lines }: StepResult): string {
  const [first] = lines?.journal ?? [];
  const { input } = (first !== undefined && stepInputIn(first)) || {};
  if (!input) return 'a refusal';
  return JSON.stringify(input.type === 'event.taken' ? input.event.type : input.type);
}

function statusOf({ status, ended, state: { holds } }: LiveInstance): StoredStatus {
  return { status, ended, holds };
}

/** Merges the changes of several steps, in order. */
function mergedChanges(changes: readonly StepChange[]): StepChange | undefined {
  const last = changes.at(-1);
  if (!last || changes.length === 1) return last;
  const settled = new Set<string>();
  const effects = new Map<string, Letter>();
  for (const change of changes) {
    for (const letter of change.settled) {
      effects.delete(letter);
      settled.add(letter);
    }
    for (const letter of change.effects) effects.set(letter.id, letter);
  }
  return {
    ...last,
    settled: [...settled],
    effects: [...effects.values()],
    journal: changes.flatMap(({ journal }) => journal),
    transcript: changes.flatMap(({ transcript }) => transcript),
  };
}
