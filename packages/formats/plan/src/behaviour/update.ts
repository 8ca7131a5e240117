import { type EventObject, isRecord } from '@dramaturg/compiler';
import type { Effects } from '@dramaturg/compiler/format';
import { refusedFields } from '@dramaturg/conversation';
import { correctedFrom, own, type PlanContext, progressed, without } from '../context.ts';
import { requiredKeys } from '../declarations.ts';
import { goalMarker } from '../definition.ts';
import { internal } from '../names.ts';
import { handOut } from './checks.ts';
import {
  currentState,
  deliverablesOf,
  isCollected,
  type Place,
  type PlanActions,
  type PlanScope,
  type StateMeta,
  type TaskMeta,
  taskStatus,
} from './meta.ts';
import { refuse, refused } from './refuse.ts';

/** Reads updates, and says why a part of one could not be recorded. Spec: docs/formats/plan.md#updates */

/** The fields of `plan.update`. */
const updateFields = {
  deliverables: 'deliverables',
  unconfirmed: 'unconfirmed',
  complete: 'complete',
  skip: 'skip',
  skipState: 'skipState',
  reasoning: 'reasoning',
};

/** The same fields in an extraction. */
export const extractionFields: typeof updateFields = {
  ...updateFields,
  complete: 'completed_tasks',
  skip: 'skipped_tasks',
  skipState: 'skip_state',
};

/** The changes to record, from an event, an extraction or a reply's tool calls. */
export type Update = ReturnType<typeof readUpdate>;

/**
 * Reads an update. It is untrusted, hence read field by field. A null field counts as absent. A field that is unknown or of a wrong
 * type is left out, and is listed in the problems.
 *
 * @param names of the fields
 */
export function readUpdate(fields: Readonly<Record<string, unknown>>, names = updateFields) {
  const problems: { what: string; because: string }[] = [];
  const read = <Value>(
    name: string,
    fits: (value: unknown) => value is Value,
    whatItIs: string,
  ): Value | undefined => {
    const value = fields[name] ?? undefined;
    if (value === undefined || fits(value)) return value;
    problems.push({ what: name, because: `"${name}" must be ${whatItIs}.` });
    return undefined;
  };
  const isMeant = (name: string) => read(name, isBoolean, 'true or false') ?? false;
  const idsIn = (name: string) => read(name, isTexts, 'a list of ids of tasks') ?? [];
  const values = read(names.deliverables, isRecord, 'an object of values by key') ?? {};
  const isOfEvent = names === updateFields;
  return {
    deliverables: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    /** Keys of values that are withdrawn. */
    withdrawn: Object.keys(values).filter((key) => values[key] === null),
    unconfirmed: read(names.unconfirmed, isTexts, 'a list of keys') ?? [],
    complete: idsIn(names.complete),
    skip: idsIn(names.skip),
    skipState: isMeant(names.skipState),
    /** The values correct earlier ones. */
    correct: isOfEvent && isMeant('correct'),
    /** The agent says nothing about it. */
    silent: isOfEvent && isMeant('silent'),
    reasoning: read(names.reasoning, isText, 'a text'),
    problems,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

/**
 * The parts of an update as events: values first, because a task may be waiting for them. In a strict state, they are in the
 * order of its tasks, not of the update: for each task its values, then that it is done or skipped. Spec:
 * docs/formats/plan.md#updates
 */
export function eventsOf(scope: Place, update: Update): EventObject[] {
  const { unconfirmed, correct, reasoning } = update;
  const ofEach = { ...(correct && { correct }), ...(reasoning && { reasoning }) };
  const events = [
    ...Object.entries(update.deliverables).map(([key, value]) => {
      const isInPassing = unconfirmed.includes(key) && { unconfirmed: true };
      return { type: internal.set, key, value, ...isInPassing, ...ofEach };
    }),
    ...update.complete.map((task) => ({ type: internal.complete, task })),
    ...update.skip.map((task) => ({ type: internal.skip, task })),
  ];
  const state = currentState(scope);
  const place = state.type === 'strict' ? orderOf(state) : () => 0;
  return [
    ...events.toSorted((one, other) => place(one) - place(other)),
    ...(update.skipState ? [{ type: internal.skipState }] : []),
  ];
}

/** The position of a value or a task in its state, to sort by. Unknown ones come last. */
function orderOf({ tasks }: StateMeta): (event: { key?: string; task?: string }) => number {
  const keys = new Map<string, number>();
  const ids = new Map<string, number>();
  for (const { id, deliverables } of tasks) {
    for (const { key } of deliverables) if (!keys.has(key)) keys.set(key, keys.size + ids.size);
    ids.set(id, keys.size + ids.size);
  }
  const last = keys.size + ids.size;
  return ({ key, task }) => (key === undefined ? ids.get(task ?? '') : keys.get(key)) ?? last;
}

/** Withdraws values, and returns the scope without them. */
export function withdrawIn(scope: PlanScope, keys: readonly string[]) {
  const { context: changes = {}, emit = [] } = withdraw(scope.context, keys);
  return { scope: { ...scope, context: { ...scope.context, ...changes } }, changes, emit };
}

export const updateActions = {
  /** Takes an update from outside. It is an event of its own, so it may enter any state again, once. */
  takeUpdate: (scope) => {
    const { type: _, ...fields } = scope.event;
    const update = readUpdate(fields);
    const updatedIn = update.silent ? undefined : (scope.context.updatedIn ?? scope.context.state);
    const begun = { noted: 'nothing', visited: [], updatedIn } as const;
    const before = { ...scope, context: { ...scope.context, ...begun } };
    const { scope: place, changes, emit } = withdrawIn(before, update.withdrawn);
    const last = { type: internal.end, of: 'update' };
    const { context, ...effects } = handOut(place, eventsOf(place, update), last);
    const known = [...Object.values(updateFields), 'correct', 'silent'];
    return {
      ...effects,
      context: { ...begun, ...changes, ...context },
      emit: [
        ...emit,
        ...refusals(scope, update),
        ...refusedFields(fields, known, scope.context.state),
      ],
    };
  },

  refuseValue: (scope) => {
    const { context, event } = scope;
    const key = event['key'] as string;
    const state = currentState(scope);
    const task = state.tasks.find(({ deliverables }) =>
      deliverables.some((deliverable) => deliverable.key === key),
    );
    if (key === goalMarker) return refuse(context, key, 'This state has no goal.');
    if (task) {
      const current = state.tasks.find(
        ({ id, required }) => required && taskStatus(context, state.id, id) === undefined,
      );
      const first = `first: "${current?.description ?? ''}"`;
      return refuse(context, key, `"${task.description}" comes later; ${first}.`);
    }
    const known = deliverablesOf(state).map((deliverable) => `"${deliverable.key}"`);
    const collects = known.join(', ') || 'nothing';
    return refuse(context, key, `This state does not collect "${key}"; it collects ${collects}.`);
  },

  refuseCompletion: (scope) =>
    refuseTask(scope, ({ deliverables }) => {
      const missing = requiredKeys(deliverables).filter((key) => !isCollected(scope.context, key));
      const keys = missing.map((key) => `"${key}"`).join(', ');
      return keys !== '' && `is not done before ${keys} is known`;
    }),

  refuseSkip: (scope) =>
    refuseTask(scope, ({ required }) => required && 'cannot be skipped: the state is strict'),

  refuseSkippingState: (scope) => {
    const { id, type } = currentState(scope);
    const because =
      type === 'strict'
        ? 'A strict state cannot be skipped while a required task is open.'
        : 'There is nothing to skip.';
    return refuse(scope.context, id, because);
  },
} satisfies PlanActions;

export function refusals({ context }: PlanScope, { problems }: Update): EventObject[] {
  return problems.map(({ what, because }) => refused(context, what, because));
}

/** @param obstacle why a task of the state is not done or skipped, unless it comes later */
function refuseTask(
  scope: PlanScope,
  obstacle: (task: TaskMeta) => string | false,
): Effects<PlanContext> {
  const { tasks } = currentState(scope);
  const id = scope.event['task'] as string;
  const task = tasks.find((candidate) => candidate.id === id);
  const known = tasks.map((each) => `"${each.id}"`).join(', ') || 'none';
  const because = task
    ? `"${task.description}" ${obstacle(task) || 'comes later'}.`
    : `This state has no task "${id}"; it has ${known}.`;
  return refuse(scope.context, id, because);
}

/**
 * Withdraws values: they are no longer known, and no condition sees them. Decisions based on them are made again, and tasks that
 * they completed stay done. The event does not repeat the values. Spec: docs/formats/plan.md#withdrawal
 */
function withdraw(context: PlanContext, keys: readonly string[]): Effects<PlanContext> {
  const { deliverables, volunteered = {}, unchecked, answered, reopened } = context;
  const waits = (unchecked ?? []).flatMap(({ events }) => events).map(({ key }) => key);
  const isKnown = (key: string) =>
    own(deliverables, key) !== undefined ||
    own(volunteered, key) !== undefined ||
    waits.includes(key);
  if (!keys.some(isKnown)) return { emit: keys.map((key) => unknown(context, key)) };
  const others = (list: readonly string[]) => list.filter((key) => !keys.includes(key));
  const previous = keys.flatMap((key) => {
    const record = own(deliverables, key) ?? own(volunteered, key);
    return record ? [[key, record.value] as const] : [];
  });
  return {
    context: {
      deliverables: without(deliverables, keys),
      ...(context.volunteered && { volunteered: without(volunteered, keys) }),
      ...(answered && { answered: others(answered) }),
      ...(reopened && { reopened: others(reopened) }),
      ...(unchecked && {
        unchecked: unchecked.map((update) => ({
          ...update,
          events: update.events.map((event) =>
            keys.includes(String(event['key'])) ? { ...event, withdrawn: true } : event,
          ),
        })),
      }),
      noted: 'progress',
      visit: progressed(context),
      ...correctedFrom(context, Object.fromEntries(previous)),
    },
    emit: keys.map((key) =>
      isKnown(key)
        ? { type: 'deliverable.withdrawn', deliverable: key, state: context.state }
        : unknown(context, key),
    ),
  };
}

function unknown(context: PlanContext, key: string) {
  return refused(context, key, `There is no value of "${key}" to withdraw.`);
}
