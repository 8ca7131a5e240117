import type { Answer } from '../instance/event.ts';
import { nextTurn } from '@dramaturg/compiler/machine';
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
  /** Runs a task, or several steps of one kind. Never rejects. */
  readonly run: (tasks: readonly [WorkTask] | readonly StepTask[]) => Promise<void>;
  /** Keeps track of the time in which the queue is not empty. */
  readonly during: (work: () => Promise<void>) => Promise<void>;
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
    this.#running ??= this.#options.during(() => this.#runAll());
  }

  async #runAll(): Promise<void> {
    // The caller of the first task continues first.
    await Promise.resolve();
    for (let sinceYield = 0; this.#tasks.length > 0;) {
      const tasks = this.#next();
      await this.#options.run(tasks);
      sinceYield += tasks.length;
      if (sinceYield < stepsPerTurn) continue;
      await nextTurn();
      sinceYield = 0;
    }
    this.#running = undefined;
    this.#options.onEmpty();
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
