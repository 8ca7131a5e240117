import type { JsonObject } from '@dramaturg/compiler';
import { own } from '../context.ts';
import type { Deliverable } from '../definition.ts';
import { ahead, declarationOf } from './declaration.ts';
import {
  currentState,
  deliverablesOf,
  isCollected,
  isOfPerson,
  isReopened,
  type Place,
  type StateMeta,
  type TaskMeta,
  taskStatus,
} from './meta.ts';
import {
  achievedKey,
  isWithoutNeeds,
  openTasks,
  skippableTasks,
  tasksTakingValues,
} from './questions.ts';
import { samplesMark, valueSchema } from './value-schema.ts';

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
  return {
    type: 'object',
    properties: { deliverables, ...more },
    additionalProperties: false,
  };
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
