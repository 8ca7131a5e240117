import type { Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import type { Fields } from '@dramaturg/conversation';
import { conflictingSpelling } from '../conditions/fields.ts';
import { readCondition } from '../conditions/read.ts';
import { type Condition, kindOf } from '../conditions/table.ts';
import { end, type State, type StateType, type Transition } from '../definition.ts';
import { error, info, misread, warning } from '../problems.ts';
import { toNumber } from '../to-number.ts';

const conditionWithoutType = misread('condition-without-type', (field: string) => ({
  message: `This transition has no "condition_type", so it waits for all tasks and ignores its "${field}".`,
  hint: 'Add "condition_type", such as "deliverable_value".',
}));

/** @param stateType undefined for a transition of the plan, which is tried in states of all types */
export function readTransition(fields: Fields, stateType?: StateType): Transition {
  const target = pickText(fields, 'target_state_id', 'target');
  const type = pickText(fields, 'condition_type', 'condition');
  const config = fields.within('condition_config');
  if (!type) {
    const about = [fields.path('condition_type')];
    const ignored = Object.keys(config.values).length > 0 ? 'condition_config' : 'type';
    if (ignored !== 'type' || fields.optional('type'))
      fields.report(conditionWithoutType(ignored), ignored, { about });
  }
  const { reportAt: report, at: place } = fields;
  const at = fields.values['condition_config'] === undefined ? place : config.at;
  const read = type
    ? readCondition(type.text, config.values, { at, typeAt: fields.path(type.name) }, report)
    : readCondition('all_tasks_complete', {}, { at, typeAt: place }, report);
  return {
    target_state_id: target?.text ?? '',
    outcome: fields.optional('outcome'),
    reason: fields.optional('reason'),
    priority: readPriority(fields),
    condition: read && stateType ? fitToState(read, stateType, place, report) : read,
    at: place,
  };
}

/** The field under the first of its spellings that holds a string. */
export function pickText(
  fields: Fields,
  ...names: [string, string]
): { name: string; text: string } | undefined {
  const [first, second] = names.filter((name) => fields.optional(name) !== undefined);
  if (first === undefined) return undefined;
  if (second !== undefined && fields.text(first) !== fields.text(second))
    fields.report(conflictingSpelling(first, second), second);
  return { name: first, text: fields.text(first) };
}

/** Reads conditions whose meaning depends on the type of the state. */
function fitToState(
  condition: Condition,
  stateType: StateType,
  at: Path,
  report: Report,
): Condition {
  if ('conditions' in condition) {
    return {
      ...condition,
      conditions: condition.conditions.map((child) => fitToState(child, stateType, at, report)),
    };
  }
  const mismatch = kindOf(condition).inState?.({ isGoalState: stateType === 'goal' });
  if (!mismatch) return condition;
  const { problem, readAs, follows } = mismatch;
  const stateAt = at.slice(0, -2);
  report(
    problem,
    condition.paths?.type ?? [],
    follows && { follows: follows.map((field) => [...stateAt, field]) },
  );
  return readAs ? ({ ...condition, ...readAs } as Condition) : condition;
}

const badPriority = error('bad-priority', (priority: string) => ({
  message: `The priority "${priority}" is not a number.`,
  hint: 'Write a number. The lowest one wins.',
}));

const priorityAsText = warning('priority-as-text', (priority: string) => ({
  message: `The priority is the text "${priority}". It is read as a number.`,
  hint: `Write "priority": ${priority.trim()}.`,
}));

function readPriority(fields: Fields): number {
  const written = fields.optional('priority');
  if (written === undefined) return fields.number('priority') ?? 1;
  const priority = toNumber(written);
  fields.report(
    priority === undefined ? badPriority(written) : priorityAsText(written),
    'priority',
  );
  return priority ?? 1;
}

const automaticTransitions = info('automatic-transitions', () => ({
  message:
    'No state has transitions, so each state leads to the next one in the list when it is complete.',
}));

/**
 * Only a plan without any transition is read as a list. Connecting single states in list order would run the branches of
 * a branching plan one after another.
 */
export function withAutomaticTransitions(
  states: readonly State[],
  at: Path,
  report: Report,
): readonly State[] {
  if (states.length < 2 || states.some(({ transitions }) => transitions.length > 0)) return states;
  report(automaticTransitions(), at);
  return states.map((state, index) => {
    const next = states[index + 1];
    return next ? { ...state, transitions: [completionOf(state, next.id, 1, state.at)] } : state;
  });
}

const unknownEndState = warning('unknown-end-state', (id: string, known: readonly string[]) => ({
  message: `The builder's metadata marks the state "${id}" as an end, but there is no such state.`,
  hint: () => didYouMean(id, known) ?? 'Remove it from "end_state_ids".',
}));

const endByMetadata = info('end-by-metadata', (id: string) => ({
  message: `The builder's metadata marks the state "${id}" as an end, so it leads to "__end__" when it is complete.`,
}));

/**
 * Adds a transition to the end for each state that the visual builder marks as an end. Only exports of the builder have such
 * marks.
 */
export function withEnds(states: readonly State[], canvas: Fields): readonly State[] {
  const marked = canvas.values['end_state_ids'];
  if (!Array.isArray(marked)) return states;
  const ids = states.map(({ id }) => id);
  const known = new Set(ids);
  const places = new Map<string, Path>();
  marked.forEach((id: unknown, index) => {
    if (typeof id !== 'string') return;
    if (known.has(id)) places.set(id, canvas.path('end_state_ids', index));
    else canvas.report(unknownEndState(id, ids), ['end_state_ids', index]);
  });
  return states.map((state) => {
    const place = places.get(state.id);
    const leaves = state.transitions.some(({ target_state_id }) => target_state_id === end);
    if (!place || leaves) return state;
    canvas.reportAt(endByMetadata(state.id), place);
    const priority = Math.max(0, ...state.transitions.map((transition) => transition.priority)) + 1;
    return {
      ...state,
      transitions: [...state.transitions, completionOf(state, end, priority, place)],
    };
  });
}

function completionOf(state: State, target: string, priority: number, at: Path): Transition {
  const type = state.type === 'goal' ? 'goal_achieved' : 'all_tasks_complete';
  return { target_state_id: target, priority, condition: { type }, at };
}
