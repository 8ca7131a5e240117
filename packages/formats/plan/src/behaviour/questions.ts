import type { Json, JsonObject, PortInput, ToolSpec } from '@dramaturg/compiler';
import { announcements, objectSchema, type OpenQuestion } from '@dramaturg/conversation';
import { type DeliverableRecord, own } from '../context.ts';
import { limitedSchema, samplesMark, valueSchema } from '../data-types.ts';
import { type Deliverable, end } from '../definition.ts';
import { anyText } from '../value.ts';
import {
  ahead,
  currentState,
  declarationOf,
  deliverablesOf,
  isCollected,
  isOfPerson,
  isPassedOver,
  isReopened,
  type Place,
  type StateMeta,
  type TaskMeta,
  tasksAhead,
  taskStatus,
  undone,
} from './state.ts';

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
  return type === 'strict' ? left : requiredFirst(left);
}

function requiredFirst<Part extends { readonly required: boolean }>(parts: readonly Part[]) {
  return parts.toSorted((a, b) => Number(b.required) - Number(a.required));
}

/** The tasks whose values are recorded now: in a sequence also the tasks after an optional task that does not block them. */
function tasksTakingValues(scope: Place): readonly TaskMeta[] {
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
export function knownValues(scope: Place): Known {
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
    requiredFirst(deliverables.filter(isOpen)).map((one) => ({
      deliverable: one,
      task,
      required: one.required && task?.required !== false,
    }));
  const ofTasks = tasks.flatMap((task) => asked(task.deliverables, task));
  if (state.type !== 'goal') return ofTasks;
  const ofGoal = asked(state.goal?.deliverables ?? []);
  return requiredFirst([...ofGoal, ...ofTasks, goalQuestion(state)]);
}

/** No collected value says whether a goal is reached, so the goal is asked for like a value. */
function goalQuestion({ title }: StateMeta): Question {
  const texts = {
    description: `Have we covered "${title}"?`,
    acceptance_criteria: '',
    examples: [],
  };
  const type = { ...anyText, type: 'boolean' } as const;
  const deliverable: Deliverable = { ...type, ...texts, key: achievedKey, required: true };
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
function isWithoutNeeds({ deliverables }: TaskMeta): boolean {
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
  const properties = { task_id: { type: 'string', ...(ids && { enum: ids }) } };
  return { name, description, parameters: objectSchema(properties, ['task_id']) };
}

function skippableTasks(scope: Place, tasks = openTasks(scope)): readonly TaskMeta[] {
  const isStrict = currentState(scope).type === 'strict';
  return tasks.filter(({ required }) => !isStrict || !required);
}

export const withdrawnField = 'withdrawn';

/** The names are not listed, because their number grows. */
const withdrawnSchema: JsonObject = {
  type: 'object',
  description: 'Known values that the person wants forgotten, not corrected: {"name": true}.',
};

const achievedSchema = { type: 'boolean', description: 'Whether the goal is reached.' };
const skipStateSchema = {
  type: 'boolean',
  description: 'Whether the person wants to leave this whole part out.',
};

/**
 * The JSON Schema of an extraction: the values that the state accepts now, those that the plan may ask for later, and corrections
 * of known values. Its form is the same during a visit, so that providers can cache it; only marks change: `x-collected` has the
 * order in which values became known, `x-later` says that a value counts later.
 */
export function extractionSchema(scope: Place): JsonObject {
  const isGoal = currentState(scope).type === 'goal';
  const tasks = nameableTasks(scope);
  const values = offeredValues(scope);
  return schemaOf(values, isGoal, {
    ...listOf('unconfirmed', 'Which of these were mentioned only in passing.', [...values.keys()]),
    ...listOf('completed_tasks', finishedTasks, idsOf(tasks.filter(isWithoutNeeds))),
    ...listOf('skipped_tasks', declinedTasks, idsOf(skippableTasks(scope, tasks))),
    [withdrawnField]: { ...withdrawnSchema, 'x-later': true },
    ...(isGoal ? { [achievedKey]: achievedSchema } : { skip_state: skipStateSchema }),
  });
}

const finishedTasks = 'Tasks that this message finishes.';
const declinedTasks = 'Tasks the person declines.';

/** Every value and task that an extraction may record in some state. */
export function wholeSchema(states: readonly StateMeta[]): JsonObject {
  const values = new Map<string, JsonObject>();
  for (const deliverable of states.flatMap(deliverablesOf).filter(isOfPerson)) {
    const schema = valueSchema(deliverable);
    const known = values.get(deliverable.key);
    // States that declare a key in different ways agree on its name alone.
    const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(schema);
    values.set(deliverable.key, isSame ? schema : {});
  }
  const names = { type: 'array', items: { type: 'string' } };
  const hasGoals = states.some(({ type }) => type === 'goal');
  return schemaOf(values, hasGoals, {
    unconfirmed: { ...names, description: 'Which of the values were mentioned only in passing.' },
    completed_tasks: { ...names, description: finishedTasks },
    skipped_tasks: { ...names, description: declinedTasks },
    [withdrawnField]: withdrawnSchema,
    ...(hasGoals ? { [achievedKey]: achievedSchema } : {}),
    skip_state: skipStateSchema,
  });
}

/** @param takesAny goal states take values that are not declared */
function schemaOf(
  values: ReadonlyMap<string, JsonObject>,
  takesAny: boolean,
  more: JsonObject,
): JsonObject {
  const deliverables = {
    type: 'object',
    properties: Object.fromEntries(values),
    additionalProperties: takesAny ? { type: ['string', 'number', 'boolean'] } : false,
  };
  return objectSchema({ deliverables, ...more });
}

/** All tasks of the state, done or not, so that the list is the same during a visit. In a sequence, tasks are added one by one. */
function nameableTasks(scope: Place): readonly TaskMeta[] {
  const state = currentState(scope);
  return state.type === 'strict'
    ? openTasks(scope)
    : state.tasks.filter(({ agent }) => agent === undefined);
}

function idsOf(tasks: readonly TaskMeta[]): string[] {
  return tasks.map(({ id }) => id);
}

function offeredValues(scope: Place): Map<string, JsonObject> {
  const { context } = scope;
  const { deliverables, volunteered = {} } = context;
  const known = Object.keys({ ...deliverables, ...volunteered });
  const accepted = acceptedNow(scope);
  const isAccepted = new Set(accepted.map(({ key }) => key));
  // Values accepted now come last if they can change during a visit: in a sequence that is longer than the deliverables ahead.
  const offered = [
    ...(currentState(scope).type === 'strict' ? [] : accepted),
    ...ahead(scope).values(),
    ...accepted,
    ...known.flatMap((key) => declarationOf(scope, key) ?? []),
  ];
  const values = new Map<string, JsonObject>();
  for (const deliverable of offered) {
    const { key } = deliverable;
    if (values.has(key) || !isOfPerson(deliverable)) continue;
    const isRecorded = isCollected(context, key);
    const isKnown = isRecorded || isReopened(context, key) || own(volunteered, key);
    values.set(key, {
      ...valueSchema(deliverable),
      ...samplesMark(deliverable),
      ...(isKnown ? { 'x-collected': known.indexOf(key) + 1 } : {}),
      ...(isRecorded || isAccepted.has(key) ? {} : { 'x-later': true }),
    });
  }
  return values;
}

/** The deliverables that the state records now: in a sequence also more values of tasks that are done. */
function acceptedNow(scope: Place): readonly Deliverable[] {
  const state = currentState(scope);
  if (state.type !== 'strict') return deliverablesOf(state);
  const isDone = ({ id }: TaskMeta) => taskStatus(scope.context, state.id, id) !== undefined;
  const taking = new Set([...state.tasks.filter(isDone), ...tasksTakingValues(scope)]);
  return state.tasks.flatMap((task) => (taking.has(task) ? task.deliverables : []));
}

function listOf(name: string, description: string, values: readonly string[]): JsonObject {
  return values.length === 0
    ? {}
    : { [name]: { type: 'array', description, items: { type: 'string', enum: values } } };
}
