import type { Json, PortInput, ToolSpec } from '@dramaturg/compiler';
import { announcements, type OpenQuestion } from '@dramaturg/conversation';
import { type DeliverableRecord, own } from '../context.ts';
import { type Deliverable, end } from '../definition.ts';
import { isPassedOver, tasksAhead, undone } from './completion.ts';
import { declarationOf } from './declaration.ts';
import {
  currentState,
  isCollected,
  isOfPerson,
  isReopened,
  type Place,
  type StateMeta,
  type TaskMeta,
} from './meta.ts';
import { limitedSchema } from './value-schema.ts';

/** The content of a turn: open tasks, what to ask, what to do, and what an answer may contain. */

/** In a strict state the current task alone. In a loose state all tasks that are not done, required ones first. */
export function openTasks(scope: Place): readonly TaskMeta[] {
  return currentTasks(scope).filter(({ agent }) => agent === undefined);
}

/** The open tasks, including tasks of agents. */
export function currentTasks(scope: Place): readonly TaskMeta[] {
  const left = undoneTasks(scope);
  if (currentState(scope).type !== 'strict') return left;
  return left.filter((task) => task.required || !isPassedOver(scope, task.id)).slice(0, 1);
}

/** The tasks that are not done: a sequence in its order, otherwise required tasks first. */
function undoneTasks(scope: Place): readonly TaskMeta[] {
  const { type, tasks } = currentState(scope);
  const left = undone(scope, tasks);
  if (type === 'strict') return left;
  return left.toSorted((a, b) => Number(b.required) - Number(a.required));
}

/** The tasks whose values are recorded now: in a sequence also the tasks after an optional task that does not block them. */
export function tasksTakingValues(scope: Place): readonly TaskMeta[] {
  const open = openTasks(scope);
  const [current] = open;
  const state = currentState(scope);
  if (state.type !== 'strict' || !current || current.required) return open;
  return [current, ...tasksAhead(state, current.id)];
}

type Ask = PortInput<'reply'>['asks'][number];

export function asks(scope: Place): Ask[] {
  const { spoken, idleTurns } = scope.context.visit;
  const skippable = skippableTasks(scope);
  return questions(scope).map((question, index) => {
    const { deliverable, task, required } = question;
    const { unconfirmed, ...inShort } = shortAsk(scope, question);
    return {
      ...inShort,
      schema: limitedSchema(deliverable),
      required,
      ...(required && task && skippable.includes(task) ? { skippable: true } : {}),
      // The number of messages without a value since the agent has spoken in this state.
      ...(index === 0 ? { attempts: spoken ? idleTurns : 0 } : {}),
      ...(unconfirmed === undefined ? {} : { unconfirmed }),
    };
  });
}

type ShortAsk = Pick<Ask, 'name' | 'question' | 'unconfirmed'>;

function shortAsk(scope: Place, { deliverable, task }: Question): ShortAsk {
  const { key: name, description } = deliverable;
  const question = description || task?.description || name.replaceAll('_', ' ');
  return { name, question, ...toConfirm(scope, name) };
}

/** The value that the person has already mentioned: confirming it answers the question. */
function toConfirm({ context }: Place, key: string): { unconfirmed?: Json } {
  const record = own(context.volunteered ?? {}, key) ?? own(context.deliverables, key);
  const isGrowing = Array.isArray(record?.value) && isReopened(context, key);
  return record === undefined || record.discovered || isGrowing
    ? {}
    : { unconfirmed: record.value };
}

type Known = NonNullable<PortInput<'reply'>['known']>;

/** The values that the person has given so far, without insights, which are the agent's own words. */
export function known(scope: Place): Known {
  const records = [...Object.entries(scope.context.deliverables), ...waiting(scope)];
  return records.flatMap(([name, { value, discovered }]) => (discovered ? [] : [{ name, value }]));
}

/** The volunteered values whose turn may still come. */
export function waiting(scope: Place): [key: string, record: DeliverableRecord][] {
  return Object.entries(scope.context.volunteered ?? {}).filter(
    ([key]) => declarationOf(scope, key) !== undefined,
  );
}

/** The questions that this state may ask, in order. `isWhole`: in a sequence also those of later tasks. */
export function upcomingAsks(scope: Place, isWhole: boolean): ShortAsk[] {
  const tasks = isWhole ? undoneTasks(scope) : openTasks(scope);
  return questions(scope, tasks).map((question) => shortAsk(scope, question));
}

interface Question {
  readonly deliverable: Deliverable;
  readonly task: TaskMeta | undefined;
  readonly required: boolean;
}

export const achievedKey = 'goal_achieved';

function questions(scope: Place, tasks = openTasks(scope)): Question[] {
  const state = currentState(scope);
  const isOpen = (deliverable: Deliverable) =>
    isOfPerson(deliverable) &&
    (!isCollected(scope.context, deliverable.key) ||
      own(scope.context.deliverables, deliverable.key)?.unconfirmed === true);
  const asked = (deliverables: readonly Deliverable[], task?: TaskMeta): Question[] =>
    deliverables
      .filter(isOpen)
      .toSorted((a, b) => Number(b.required) - Number(a.required))
      .map((one) => ({
        deliverable: one,
        task,
        required: one.required && task?.required !== false,
      }));
  const ofTasks = tasks.flatMap((task) => asked(task.deliverables, task));
  if (state.type !== 'goal') return ofTasks;
  const all = [...asked(state.goal?.deliverables ?? []), ...ofTasks];
  return [
    ...all.filter(({ required }) => required),
    goalQuestion(state),
    ...all.filter(({ required }) => !required),
  ];
}

/** No collected value says whether a goal is reached, so the goal is asked for like a value. */
function goalQuestion({ title }: StateMeta): Question {
  const deliverable: Deliverable = {
    key: achievedKey,
    type: 'boolean',
    description: `Have we covered "${title}"?`,
    required: true,
    acceptance_criteria: '',
    examples: [],
    enum_values: [],
    at: [],
  };
  return { deliverable, task: undefined, required: true };
}

/**
 * The question that a message answers. It is none where the agent has not asked it yet: in a state in which it has not spoken,
 * or after a reply that only did another task.
 */
export function askedQuestion(scope: Place): PortInput<'extract'>['asked'] {
  const { asked, early } = scope.context;
  const question = openQuestion(scope);
  return question && !early && question.id === asked?.now ? lastQuestion(scope) : undefined;
}

/** The first open question, and what to record when the person declines to answer. */
function lastQuestion(scope: Place): PortInput<'extract'>['asked'] {
  const [first] = questions(scope);
  if (!first) return lastDirection(scope);
  const { deliverable, task } = first;
  if (deliverable.key === achievedKey) return { path: [achievedKey] };
  const asked = { path: ['deliverables', deliverable.key], ...toConfirm(scope, deliverable.key) };
  if (!task) return asked;
  if (deliverable.required)
    return skippableTasks(scope).includes(task)
      ? { ...asked, ifSkipped: { skipped_tasks: [task.id] } }
      : asked;
  return {
    ...asked,
    ifDeclined: task.required ? { completed_tasks: [task.id] } : { skipped_tasks: [task.id] },
  };
}

/** The question that the person was asked last, if the state asks anything. */
export function openQuestion(scope: Place): OpenQuestion | undefined {
  const { state, visit } = scope.context;
  if (!visit.spoken) return undefined;
  const open = questions(scope).map(({ deliverable }) => deliverable);
  const path = lastQuestion(scope)?.path ?? [];
  return { id: [state, ...path].join('/'), options: open.flatMap((each) => each.enum_values) };
}

/** A task without deliverables that is still open after the agent has spoken: the person's answer completes it. */
function lastDirection(scope: Place): PortInput<'extract'>['asked'] {
  const task = openTasks(scope).find(({ deliverables }) => deliverables.length === 0);
  if (!task || !scope.context.visit.spoken) return undefined;
  return { path: ['tasks', task.id], ifDeclined: { completed_tasks: [task.id] } };
}

/**
 * The values that a reply gives to deliverables of the agent in its tasks: true for a truth value, otherwise the text of the
 * reply.
 */
export function fulfilledBy(scope: Place, said: string): Record<string, Json> {
  const fulfilled = openTasks(scope)
    .flatMap(({ deliverables }) => deliverables)
    .filter((each) => !isOfPerson(each) && !isCollected(scope.context, each.key))
    .map(({ key, type }) => [key, type === 'boolean' ? true : said] as const);
  return Object.fromEntries(fulfilled);
}

type Direction = PortInput<'reply'>['directions'][number];

/** Tasks without deliverables are completed by speaking. */
export function directions(scope: Place): Direction[] {
  if (scope.context.handOver !== undefined) return [announcements.handOver];
  if (scope.context.state === end) return [announcements.end];
  const state = currentState(scope);
  if (state.tasks.length === 0 && state.type !== 'goal')
    return [{ text: state.description || state.title }];
  return openTasks(scope)
    .filter(({ deliverables }) => !deliverables.some(isOfPerson))
    .map(({ id, instruction, description }) => ({
      text: instruction || description,
      done: { name: 'complete_task', arguments: { task_id: id } },
    }));
}

/** The tools a model may use while it speaks; they name only tasks that are open. */
export function tools(scope: Place): ToolSpec[] {
  const completable = openTasks(scope).filter(isWithoutNeeds);
  return [...toolFor('complete_task', completable), ...toolFor('skip_task', skippableTasks(scope))];
}

/** Whether a task may be completed without any value. */
export function isWithoutNeeds({ deliverables }: TaskMeta): boolean {
  return deliverables.every(({ required }) => !required);
}

/** The purposes of a reply's tools. */
export const taskTools = {
  complete_task: 'Record that a task is done. Only once it really is.',
  skip_task: 'Leave a task out, because the person declines it or it does not apply.',
};

function toolFor(name: keyof typeof taskTools, tasks: readonly TaskMeta[]): ToolSpec[] {
  const ids = tasks.map(({ id }) => id);
  return ids.length === 0 ? [] : [taskTool(name, taskTools[name], ids)];
}

/** A tool that names a task: one of these, or any. */
export function taskTool(name: string, description: string, ids?: string[]): ToolSpec {
  const parameters = {
    type: 'object',
    properties: { task_id: { type: 'string', ...(ids && { enum: ids }) } },
    required: ['task_id'],
    additionalProperties: false,
  };
  return { name, description, parameters };
}

export function skippableTasks(scope: Place, tasks = openTasks(scope)): readonly TaskMeta[] {
  const isStrict = currentState(scope).type === 'strict';
  return tasks.filter(({ required }) => !isStrict || !required);
}
