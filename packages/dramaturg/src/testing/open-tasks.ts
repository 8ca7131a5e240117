import type { EventObject } from '@dramaturg/compiler';
import { quotedList } from '@dramaturg/compiler/text';
import type { Wait } from '@dramaturg/host/browser';
import { StepError } from './step-error.ts';
import type { GivenTask } from './test-file.ts';

/** A task that waits until its token comes back. */
export interface OpenTask {
  /** The name of its state. */
  readonly state: string;
  /** The indexes of the items that it is in, the outermost first. */
  readonly items: readonly number[];
  readonly token: string;
  /** Whether the state fails unless a heartbeat comes. */
  readonly isBeating: boolean;
}

/** The tasks among the waits of an instance. */
export function openTasksIn(waits: readonly Wait[]): readonly OpenTask[] {
  return waits.flatMap((wait) => {
    const state = wait.path.at(-1)?.state;
    if (wait.for !== 'token' || state === undefined) return [];
    return [
      {
        state,
        items: wait.path.flatMap(({ item }) => (item === undefined ? [] : [item])),
        token: wait.token,
        isBeating: wait.heartbeatAt !== undefined,
      },
    ];
  });
}

/**
 * Finds the task that a step means.
 *
 * @throws StepError when no open task fits, or several do
 */
export function taskMeant<Task extends OpenTask>(
  { state, item }: GivenTask,
  open: readonly Task[],
): Task {
  const names = [...new Set(open.map((task) => task.state))];
  const items = item === undefined ? undefined : [item].flat().join();
  const inState = open.filter((task) => state === undefined || task.state === state);
  const fitting = inState.filter((task) => items === undefined || task.items.join() === items);
  const [task] = fitting;
  if (task && fitting.length === 1) return task;
  if (!task) {
    const [what, waiting] =
      inState.length > 0
        ? [
            `item ${items} of "${inState[0]!.state}"`,
            `items ${inState.map((each) => each.items.join('.')).join(', ')}`,
          ]
        : [state === undefined ? 'a task' : `"${state}"`, quotedList(names)];
    throw new StepError(
      `The token of ${what} is not waited for now.`,
      open.length > 0 ? `Waiting: ${waiting}.` : 'Look at the state in the step before.',
    );
  }
  throw names.length > 1 && state === undefined
    ? new StepError(
        `${fitting.length} tasks wait for their tokens: ${quotedList(names)}.`,
        'Say which one is meant with "state".',
      )
    : new StepError(
        `${fitting.length} items wait in "${task.state}".`,
        'Say which one is meant with "item", such as "item: 0".',
      );
}

/** The event that gives the token back, or the heartbeat of a task that is still at work. */
export function taskEvent(given: GivenTask, { token }: Pick<OpenTask, 'token'>): EventObject {
  const { completes, fails, heartbeat } = given;
  if (heartbeat) return { type: 'task.heartbeat', token };
  if (fails === undefined) return { type: 'task.succeeded', token, output: completes ?? null };
  const failure = typeof fails === 'string' ? { error: fails } : fails;
  return { type: 'task.failed', token, ...failure };
}
