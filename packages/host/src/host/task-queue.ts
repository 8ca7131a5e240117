import type { Answer } from '../instance/event.ts';
import { nextTurn } from '@dramaturg/compiler/machine';
import type { Activity } from '../admission/activity.ts';
import type { DecideStep, StepKind } from './runner-context.ts';

export interface StepTask {
  readonly type: 'step';
  readonly decide: DecideStep;
  readonly kind: StepKind;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Work between two steps. */
export interface WorkTask {
  readonly type: 'work';
  readonly run: () => Promise<unknown>;
  readonly reject: (error: unknown) => void;
}

export interface TaskQueueOptions {
  /** Runs several steps of one kind, and answers them. */
  readonly runSteps: (tasks: readonly StepTask[]) => Promise<void>;
  /** The failure because of which no more tasks are run. */
  readonly failure: () => Error | undefined;
  /** A task has failed. */
  readonly onFailure: (error: unknown) => void;
  /** Counts the queue as work while it is not empty. */
  readonly activity: Pick<Activity, 'begin' | 'end'>;
  readonly onEmpty: () => void;
}

/**
 * How many steps are run together: so few that deciding them does not block the loop. Of messages, so few that the lifecycle
 * still knows all their ids if no sender gets its answer.
 */
const batchMax: Readonly<Record<StepKind, number>> = { message: 32, answer: 128, other: 1 };

/** The number of steps after which other instances get a turn. */
const stepsPerTurn = 32;

/**
 * Owns the tasks that wait for an instance, in order of arrival. It is `empty`, or `running` until nothing waits. Other instances
 * get a turn between the batches of a flood.
 */
export class TaskQueue {
  readonly #options: TaskQueueOptions;
  readonly #tasks: (StepTask | WorkTask)[] = [];
  #running: Promise<void> | undefined;

  constructor(options: TaskQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#running === undefined;
  }

  /** Settles when the queue is empty. */
  get settled(): Promise<unknown> {
    return this.#running ?? Promise.resolve();
  }

  /** @returns the answer, once the step is stored and applied */
  step(decide: DecideStep, kind: StepKind): Promise<Answer> {
    return new Promise((resolve, reject) =>
      this.#add({ type: 'step', decide, kind, resolve, reject }),
    );
  }

  /** @returns the value of the work */
  betweenSteps<Value>(work: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) =>
      this.#add({ type: 'work', run: () => work().then(resolve), reject }),
    );
  }

  #add(task: StepTask | WorkTask): void {
    this.#tasks.push(task);
    this.#running ??= this.#runAll();
  }

  async #runAll(): Promise<void> {
    const { runSteps, failure, onFailure, activity, onEmpty } = this.#options;
    activity.begin();
    // The caller of the first task continues first.
    await Promise.resolve();
    for (let sinceYield = 0; this.#tasks.length > 0;) {
      const tasks = this.#next();
      try {
        const error = failure();
        if (error) throw error;
        const [first] = tasks;
        if (first?.type === 'work') await first.run();
        else await runSteps(tasks as readonly StepTask[]);
      } catch (error) {
        onFailure(error);
        // Tasks that were answered already are not affected.
        for (const { reject } of tasks) reject(error);
      }
      sinceYield += tasks.length;
      if (sinceYield < stepsPerTurn) continue;
      await nextTurn();
      sinceYield = 0;
    }
    this.#running = undefined;
    onEmpty();
    activity.end();
  }

  #next(): readonly [WorkTask] | readonly StepTask[] {
    const first = this.#tasks.shift()!;
    if (first.type === 'work') return [first];
    const batch = [first];
    while (batch.length < batchMax[first.kind]) {
      const [next] = this.#tasks;
      if (next?.type !== 'step' || next.kind !== first.kind) break;
      batch.push(next);
      this.#tasks.shift();
    }
    return batch;
  }
}
