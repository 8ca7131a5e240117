import { own, type PlanContext } from '../context.ts';
import { goalTask } from '../definition.ts';
import {
  currentState,
  isCollected,
  planMeta,
  type StateMeta,
  type TaskMeta,
  taskStatus,
  type Place,
} from './meta.ts';

/**
 * `all_tasks_complete`: every required task is done (or, as a compile option, every task). A state without such work is not
 * complete by itself: the agent must have spoken in it and the person must have answered. In the last state of a conversation
 * there is nothing left to answer. Spec: docs/formats/plan.md#completion
 */
export function isComplete(scope: Place): boolean {
  const { spoken, answered } = scope.context.visit;
  const state = currentState(scope);
  if (countedTasks(scope).length > 0) return tasksToDo(scope).length === 0;
  if (state.tasks.length > 0 && undone(scope, state.tasks).length === 0) return true;
  return spoken && (answered || state.terminal === true);
}

/** The tasks of the current state that its completion still waits for. */
export function tasksToDo(scope: Place): readonly TaskMeta[] {
  return undone(scope, countedTasks(scope));
}

/** The tasks of the current state that are neither done nor skipped. */
export function undone({ context }: Place, tasks: readonly TaskMeta[]): readonly TaskMeta[] {
  return tasks.filter(({ id }) => taskStatus(context, context.state, id) === undefined);
}

/** The tasks that completion waits for. */
function countedTasks(scope: Place): readonly TaskMeta[] {
  const { tasks } = currentState(scope);
  return planMeta(scope.meta).completion === 'all'
    ? tasks
    : tasks.filter(({ required }) => required);
}

export function isGoalAchieved({ context }: Place): boolean {
  return taskStatus(context, context.state, goalTask) === 'completed';
}

/**
 * Whether the known values complete a task. After a return to a state, earlier values count only once the person could
 * change them; otherwise the state would be left as soon as it is entered. Spec: docs/formats/plan.md#return
 */
export function hasData(context: PlanContext, keys: readonly string[]): boolean {
  const { again, answered } = context.visit;
  if (keys.length === 0 || (again && !answered)) return false;
  return keys.every((key) => isCollected(context, key));
}

/** Whether the person's answer alone may complete the state, without extracting anything from it first. */
export function completesByAnswer(scope: Place): boolean {
  const { spoken } = scope.context.visit;
  const { type, tasks } = currentState(scope);
  return spoken && type !== 'goal' && tasks.every(({ deliverables }) => deliverables.length === 0);
}

/** The tasks that an optional task does not block: those after it, up to and including the next required one. */
export function tasksAhead(state: StateMeta, id: string): readonly TaskMeta[] {
  const ahead = state.tasks.slice(state.tasks.findIndex((task) => task.id === id) + 1);
  const nextRequired = ahead.findIndex(({ required }) => required);
  return nextRequired < 0 ? ahead : ahead.slice(0, nextRequired + 1);
}

/** In a sequence, an optional task is skipped once a later task was begun in this state. */
export function isPassedOver(scope: Place, id: string): boolean {
  const { context } = scope;
  const { again, answered } = context.visit;
  if (taskStatus(context, context.state, id) === 'skipped') return true;
  if (again && !answered) return false;
  const wasBegunHere = (key: string) =>
    isCollected(context, key) && own(context.deliverables, key)?.state === context.state;
  return tasksAhead(currentState(scope), id).some((task) => {
    const status = taskStatus(context, context.state, task.id);
    // On a return, a task may have been skipped in an earlier visit.
    const isAddressed = status === 'completed' || (status === 'skipped' && !again);
    return isAddressed || task.deliverables.some(({ key }) => wasBegunHere(key));
  });
}
