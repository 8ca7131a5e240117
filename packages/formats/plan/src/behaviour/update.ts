import { type EventObject, isRecord, type Json, type PortInput } from '@dramaturg/compiler';
import type { Effects } from '@dramaturg/compiler/format';
import { callKey, type HandledEvent, refusedFields } from '@dramaturg/conversation';
import {
  collected,
  correctedFrom,
  own,
  type PlanContext,
  progressed,
  type Refusal,
  type UncheckedUpdate,
  without,
} from '../context.ts';
import { type Deliverable, goalMarker } from '../definition.ts';
import { internal } from '../names.ts';
import { requiredKeys } from '../plan-graph.ts';
import { anyText, coerce, type Coerced, type Misfit } from '../value.ts';
import { achievedKey, askedQuestion, withdrawnField } from './questions.ts';
import {
  currentState,
  declarationOf,
  deliverablesOf,
  isCollected,
  isReopened,
  type Place,
  type PlanActions,
  type PlanScope,
  type StateMeta,
  type TaskMeta,
  taskStatus,
} from './state.ts';

/** The most refusals that the next reply explains. */
const mostRefusals = 5;

/** @param more the author's sentence for the person, instead of the reason; whether an agent has failed */
export function refuse(
  context: PlanContext,
  what: string,
  because: string,
  { code, ...more }: Omit<Refusal, 'what' | 'because'> & Pick<Misfit, 'code'> = {},
): Effects<PlanContext> {
  const refusal = { what, because, ...more };
  return {
    context: { refused: [...context.refused, refusal].slice(-mostRefusals) },
    emit: [{ ...refused(context, what, because), ...(code && { code }) }],
  };
}

/** A refusal that the next reply does not explain: it does not concern the person. */
export function refused({ state }: PlanContext, what: string, because: string): EventObject {
  return { type: 'update.refused', what, because, state };
}

/**
 * Values with a rule of the program: the whole update waits in `unchecked` until the port `validate` has answered for each of them.
 * Owns `unchecked` and `checks` of the context. Spec: docs/formats/plan.md#rules-of-the-program
 */

/**
 * Raises the parts of an update: immediately, or when their values are checked.
 *
 * @param last the event after them
 */
export function handOut(
  scope: PlanScope,
  events: readonly EventObject[],
  last: UncheckedUpdate['last'],
): Effects<PlanContext> {
  const marked = events.map((event) => withRule(scope, event));
  if (!marked.some(isUnchecked)) return released(scope.context, { events, last });
  const { unchecked = [] } = scope.context;
  return { context: { unchecked: [...unchecked, { events: marked, last }] } };
}

/** A value that its type refuses is not checked further. */
function withRule(scope: PlanScope, event: HandledEvent) {
  if (event.type !== internal.set) return event;
  const { declared, coerced } = readValue({ ...scope, event });
  return declared?.validate === undefined || !coerced.fits
    ? event
    : { ...event, value: coerced.value, rule: declared.validate };
}

function isUnchecked({ rule, checked, refused: refusal }: HandledEvent): boolean {
  return rule !== undefined && checked === undefined && refusal === undefined;
}

/** Raises a checked update. The plan may have left the state that its message was about. */
function released(context: PlanContext, { events, last }: UncheckedUpdate): Effects<PlanContext> {
  const isOld = last['of'] !== 'update' && context.addressed !== context.state;
  const kept = events.filter(({ withdrawn }) => withdrawn !== true);
  if (kept.length === 0 || !isOld) return { raise: [...kept, last] };
  const because = `The conversation has moved on from "${context.addressed}".`;
  return { ...refuse(context, context.addressed, because), raise: [last] };
}

/** The input of `validate`: the value to check, and its rule. */
export function validate({ context }: PlanScope): PortInput<'validate'> {
  const asked = context.unchecked![0]!.events.find(isUnchecked)!;
  return {
    key: callKey(context, 'validate', context.checks ?? 0),
    name: asked['rule'] as string,
    value: asked['value'] as PortInput<'validate'>['value'],
    values: collected(context),
  };
}

/** The value of an event in its declared type, or why it is refused. */
export function readValue(scope: Pick<PlanScope, 'context' | 'meta' | 'event'>) {
  const { event } = scope;
  const key = event['key'] as string;
  const declared = declarationOf(scope, key);
  const coerced: Coerced =
    typeof event['refused'] === 'string'
      ? { fits: false, because: event['refused'] }
      : coerce(withEarlier(scope, key, declared), declared ?? anyText);
  return { key, declared, coerced };
}

/** Appends to a list that is asked for again: "another one?". */
function withEarlier(
  { context, event: { value } }: Pick<PlanScope, 'context' | 'event'>,
  key: string,
  declared: Deliverable | undefined,
): unknown {
  const earlier = own(context.deliverables, key)?.value;
  if (declared?.type !== 'list' || !isReopened(context, key) || !Array.isArray(earlier))
    return value;
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...(earlier as Json[]), ...given.filter((entry) => !earlier.includes(entry as Json))];
}

/** Reads updates, and says why a part of one could not be recorded. Spec: docs/formats/plan.md#updates */

/** The fields of `plan.update` that have other names in an extraction. */
const updateFields = { complete: 'complete', skip: 'skip', skipState: 'skipState' };
const extractionFields: typeof updateFields = {
  complete: 'completed_tasks',
  skip: 'skipped_tasks',
  skipState: 'skip_state',
};

function fieldsOfUpdate(names = updateFields): string[] {
  return ['deliverables', 'unconfirmed', ...Object.values(names), 'reasoning'];
}

/** The changes to record, from an event, an extraction or a reply's tool calls. */
type Update = ReturnType<typeof readUpdate>;

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
  const values = read('deliverables', isRecord, 'an object of values by key') ?? {};
  const isOfEvent = names === updateFields;
  return {
    deliverables: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    /** Keys of values that are withdrawn. */
    withdrawn: Object.keys(values).filter((key) => values[key] === null),
    unconfirmed: read('unconfirmed', isTexts, 'a list of keys') ?? [],
    complete: idsIn(names.complete),
    skip: idsIn(names.skip),
    skipState: isMeant(names.skipState),
    /** The values correct earlier ones. */
    correct: isOfEvent && isMeant('correct'),
    /** The agent says nothing about it. */
    silent: isOfEvent && isMeant('silent'),
    reasoning: read('reasoning', isText, 'a text'),
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
function withdrawIn(scope: PlanScope, keys: readonly string[]) {
  const { context: changes = {}, emit = [] } = withdraw(scope.context, keys);
  return { scope: { ...scope, context: { ...scope.context, ...changes } }, changes, emit };
}

export const updateActions = {
  takeExtraction: (scope) => {
    const value = (scope.event['output'] as { value: Record<string, unknown> }).value;
    const { early } = scope.context;
    // A message from before the person knew the state neither completes nor skips anything in it.
    const told = early ? { deliverables: value['deliverables'] } : value;
    const found = readUpdate(told, extractionFields);
    const said = !early && value[achievedKey];
    const achieved = said ? { [goalMarker]: said } : {};
    const update = { ...found, deliverables: { ...found.deliverables, ...achieved } };
    // Models write null for "not said", so withdrawn values have a field of their own.
    const withdrawn = isRecord(value[withdrawnField]) ? value[withdrawnField] : {};
    const keys = Object.keys(withdrawn).filter((key) => withdrawn[key] === true);
    const { scope: place, changes, emit } = withdrawIn(scope, keys);
    const applied = apply(place, update, 'message');
    const known = [...fieldsOfUpdate(extractionFields), achievedKey, withdrawnField];
    return {
      ...applied,
      context: { ...changes, ...applied.context },
      emit: [
        ...emit,
        ...refusals(scope, found),
        ...refusedFields(value, known, scope.context.state),
        ...(applied.emit ?? []),
      ],
    };
  },

  /** Takes the answer about the first unchecked value. */
  takeCheck: ({ context, event: { output } }) => {
    const [first, ...rest] = context.unchecked ?? [];
    const index = first!.events.findIndex(isUnchecked);
    const asked = first!.events[index]!;
    const answer = output as Partial<Record<'value' | 'reason', never>>;
    const { value = asked['value'], reason } = answer;
    const checked = reason === undefined ? { checked: asked['rule'] } : { refused: reason };
    const events = first!.events.with(index, { ...asked, value, ...checked });
    const checks = (context.checks ?? 0) + 1;
    if (events.some(isUnchecked))
      return { context: { checks, unchecked: [{ ...first!, events }, ...rest] } };
    const { context: changes, ...effects } = released(context, { ...first!, events });
    return { ...effects, context: { ...changes, checks, unchecked: rest, noted: 'nothing' } };
  },

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
    const known = [...fieldsOfUpdate(), 'correct', 'silent'];
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

/** Applies an update, unless the plan has left the state that the call was about. */
export function apply(
  scope: PlanScope,
  update: Update,
  of: 'message' | 'reply',
): Effects<PlanContext> {
  const events = eventsOf(scope, update).map((event) =>
    of === 'message' ? { ...event, ...saidIn(scope, event) } : event,
  );
  return handOut(scope, events, { type: internal.end, of });
}

/** The message in which a value was said, and whether it answers the question that was asked. */
function saidIn(scope: PlanScope, { key }: EventObject) {
  const { messages, early } = scope.context;
  const asked = askedQuestion(scope)?.path.at(-1);
  return { message: messages, isAnswer: key === asked, ...(early && { isEarly: early }) };
}

function refusals({ context }: PlanScope, { problems }: Update): EventObject[] {
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
