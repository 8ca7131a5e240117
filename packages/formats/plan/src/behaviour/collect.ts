import type { EventObject, Json } from '@dramaturg/compiler';
import type { Effects } from '@dramaturg/compiler/format';
import { defined } from '@dramaturg/conversation';
import {
  correctedFrom,
  type DeliverableRecord,
  longestHistory,
  own,
  type PlanContext,
  progressed,
  without,
} from '../context.ts';
import type { Deliverable } from '../definition.ts';
import { anyText, coerce, isSame, isScalar, type Misfit } from '../value.ts';
import {
  currentState,
  deliverablesOf,
  isCollected,
  isDeclaredHere,
  isReopened,
  oneByOne,
  type PlanActions,
  planMeta,
  type PlanScope,
  undone,
} from './state.ts';
import { readValue, refuse } from './update.ts';

/**
 * Actions that record values: current ones, values said before their turn, and insights. Owns `deliverables` and `volunteered` of
 * the context. Spec: docs/formats/plan.md#values and docs/formats/plan.md#said-early
 */

export const collectActions = {
  /** Records a value for a declared key, converted to its type, or refuses it. An earlier value goes into the history. */
  collect: (scope) => {
    const { context } = scope;
    const { key, declared, coerced } = readValue(scope);
    if (!coerced.fits) return misfit(context, key, declared, coerced);
    const waits = declared?.confirm && needsConfirmation(scope, key, coerced.value);
    return waits ? keepForLater(scope, key, coerced.value) : keep(scope, key, coerced.value, {});
  },

  /** Keeps a value for a later task or state: it counts when its turn comes. */
  volunteer: (scope) => {
    const { key, declared, coerced } = readValue(scope);
    return coerced.fits
      ? keepForLater(scope, key, coerced.value)
      : misfit(scope.context, key, declared, coerced);
  },

  /**
   * Counts earlier values when the turn of a state, or of one task of a sequence, comes, unless the person must confirm them. A
   * value's type may differ from the type where it was said.
   */
  countVolunteered: (scope, { task }: { task?: string }) => {
    const state = currentState(scope);
    const ofTask = state.tasks.find(({ id }) => id === task)?.deliverables;
    return oneByOne(scope.context, ofTask ?? deliverablesOf(state), countOne);
  },

  /** A goal state keeps every value, declared or not. An undeclared value causes no transition. */
  discover: (scope) => {
    const { context, event } = scope;
    const key = event['key'] as string;
    const { value } = event;
    if (!isScalar(value) || key === '__proto__')
      return refuse(context, key, `"${key}" cannot be kept as an insight.`);
    const coerced = coerce(String(value), anyText);
    if (!coerced.fits) return refuse(context, key, `"${key}": ${coerced.because}.`);
    const isNew = own(context.deliverables, key) === undefined;
    const insights = Object.values(context.deliverables).filter((one) => one.discovered);
    if (isNew && insights.length >= mostInsights)
      return refuse(context, key, 'Too many insights are kept already.');
    return keep(scope, key, value, { discovered: true });
  },
} satisfies PlanActions;

/**
 * Whether a value must be confirmed, because it was not said as the answer to its question. Saying it again confirms it, and
 * mentioning a settled value does not unsettle it.
 */
function needsConfirmation(scope: PlanScope, key: string, value: Json): boolean {
  const { context, event } = scope;
  if (isCollected(context, key)) return false;
  if (isInPassing(scope)) return true;
  const isRepeated = isSame(own(context.volunteered ?? {}, key)?.value, value);
  return event['isAnswer'] === false && (event['isEarly'] === true || !isRepeated);
}

function countOne(context: PlanContext, declared: Deliverable): Effects<PlanContext> {
  const { key, confirm, validate } = declared;
  const said = own(context.volunteered ?? {}, key);
  // The rule of this declaration may differ from the rule where the value was said: then the value is put to the person.
  if (said === undefined || confirm || (validate && said.checked !== validate)) return {};
  const rest = { volunteered: without(context.volunteered ?? {}, [key]) };
  const coerced = coerce(said.value, declared);
  if (!coerced.fits) {
    const refusal = misfit(context, key, declared, coerced);
    return { ...refusal, context: { ...refusal.context, ...rest } };
  }
  const { state } = context;
  const record = { ...said, value: coerced.value, state, volunteered: true } as const;
  return {
    context: {
      deliverables: { ...context.deliverables, [key]: record },
      ...rest,
      ...answeredWith(context, key, false),
    },
    emit: [reportedValue('deliverable.collected', key, record, state)],
  };
}

/** A model names insights, so without a limit the snapshot could grow indefinitely. */
const mostInsights = 200;

function keep(
  scope: PlanScope,
  key: string,
  value: Json,
  flags: { discovered?: true },
): Effects<PlanContext> {
  const { context } = scope;
  const said = own(context.volunteered ?? {}, key);
  const before = own(context.deliverables, key) ?? said;
  const isRepeated = isSame(before?.value, value);
  // A correction made in a later state still belongs to the state that declares the key.
  const isHere = isDeclaredHere(scope, key);
  const state = before && !said && !isHere ? before.state : context.state;
  // A recorded value counts as an answer; an insight causes no transition.
  const recorded: Partial<PlanContext> = {
    noted: flags.discovered && context.noted !== 'progress' ? 'insight' : 'progress',
    visit: { ...progressed(context), answered: true },
    ...answeredWith(context, key, isHere && typeof scope.event['message'] === 'number'),
  };
  // A passing mention of a settled value does not unsettle it, and needs no second record.
  const isSettled =
    !isReopened(context, key) && (isInPassing(scope) || before?.unconfirmed !== true);
  if (isRepeated && !said && before?.state === state && isSettled) return { context: recorded };
  const unconfirmed = isInPassing(scope) && !(isRepeated && before?.unconfirmed !== true);
  const record: DeliverableRecord = {
    ...newRecord(scope, value, state, before),
    ...(unconfirmed ? { unconfirmed: true } : {}),
    ...flags,
    ...(said && isRepeated ? { volunteered: true } : {}),
  };
  return {
    context: {
      deliverables: { ...context.deliverables, [key]: record },
      ...(said && { volunteered: without(context.volunteered ?? {}, [key]) }),
      ...recorded,
      ...corrects(scope, key, before, value),
    },
    emit: [reportedValue('deliverable.collected', key, record, context.state, before)],
  };
}

/** Keeps a value of a later state. It counts as progress, because it is new, but not as an answer to what this state asks. */
function keepForLater(scope: PlanScope, key: string, value: Json): Effects<PlanContext> {
  const { context, event } = scope;
  const before = own(context.volunteered ?? {}, key);
  const recorded = { noted: 'progress', visit: progressed(context) } as const;
  if (isSame(before?.value, value)) return { context: recorded };
  const record: DeliverableRecord = {
    ...newRecord(scope, value, context.state, before),
    ...(isInPassing(scope) ? { unconfirmed: true } : {}),
    ...(typeof event['message'] === 'number' ? { message: event['message'] } : {}),
  };
  return {
    context: {
      volunteered: { ...context.volunteered, [key]: record },
      ...recorded,
      ...corrects(scope, key, before, value),
    },
    emit: [reportedValue('deliverable.volunteered', key, record, context.state, before)],
  };
}

/**
 * Whether a value corrects an earlier one: another value of the person for a question that is not open, or of an update that says
 * so. A new answer in a repeated state corrects nothing.
 */
function corrects(
  scope: PlanScope,
  key: string,
  before: DeliverableRecord | undefined,
  value: Json,
): Partial<PlanContext> {
  const { context, event } = scope;
  if (before === undefined || isSame(before.value, value) || isInPassing(scope)) return {};
  const isOpen = undone(scope, currentState(scope).tasks).some(({ deliverables }) =>
    deliverables.some((deliverable) => deliverable.key === key),
  );
  const isNeverAsked = planMeta(scope.meta).deliverables?.some((each) => each.key === key);
  const isOfPerson =
    typeof event['message'] === 'number' && !isOpen && !isNeverAsked && !isReopened(context, key);
  return event['correct'] === true || isOfPerson
    ? correctedFrom(context, { [key]: before.value })
    : {};
}

function isInPassing({ event }: PlanScope): boolean {
  return event['unconfirmed'] === true;
}

/** A value with the reason for it, and the values it replaces. */
function newRecord(
  { event }: PlanScope,
  value: Json,
  state: string,
  before: DeliverableRecord | undefined,
): DeliverableRecord {
  const history =
    before === undefined || isSame(before.value, value)
      ? before?.history
      : [...(before.history ?? []), before.value].slice(-longestHistory);
  const { reasoning, checked } = event as Pick<DeliverableRecord, 'reasoning' | 'checked'>;
  return { value, state, ...defined({ reasoning, checked, history }) };
}

/** The event of a record. */
export function reportedValue(
  type: 'deliverable.collected' | 'deliverable.volunteered',
  deliverable: string,
  { value, unconfirmed, discovered, volunteered, message, reasoning }: DeliverableRecord,
  state: string,
  before?: DeliverableRecord,
): EventObject {
  const previous = before && !isSame(before.value, value) ? before.value : undefined;
  const more = { previous, unconfirmed, discovered, volunteered, message };
  return {
    type,
    deliverable,
    value,
    state,
    ...defined({ ...more, reasoning: reasoning || undefined }),
  };
}

/** Whether the person gave a value where it is asked for. Then it is no longer open. */
function answeredWith(
  { answered = [], reopened = [] }: PlanContext,
  key: string,
  isAnswer: boolean,
): Partial<PlanContext> {
  if (answered.includes(key) === isAnswer && !reopened.includes(key)) return {};
  const others = answered.filter((each) => each !== key);
  return {
    answered: isAnswer ? [...others, key] : others,
    reopened: reopened.filter((each) => each !== key),
  };
}

function misfit(
  context: PlanContext,
  key: string,
  declared: Deliverable | undefined,
  { because, code }: Misfit,
): Effects<PlanContext> {
  const { description, refusal } = declared ?? {};
  const reason = because.replace(/\.?$/, '.');
  // The author's sentence is about a value that is wrong.
  const more = code ? { code } : { ...(refusal && { say: refusal }) };
  return refuse(context, key, `${description || `"${key}"`}: ${reason}`, more);
}
