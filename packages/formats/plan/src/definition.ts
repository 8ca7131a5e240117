import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import type { Report, Rule } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import {
  end,
  Fields,
  fieldsOf,
  human,
  longestList,
  type ReadBy,
  readOnEnd,
  readWord,
  restart,
} from '@dramaturg/conversation';
import { conflictingSpelling } from './conditions/kind.ts';
import { readCondition } from './conditions/read.ts';
import { type Condition, kindOf } from './conditions/table.ts';
import { error, info, misread, warning } from './problems.ts';
import {
  deliverableTypes,
  isBareState,
  type PlanOptions,
  sessionFieldNames,
  textFormats,
  type ValueType,
} from './shape.ts';
import { toNumber } from './value.ts';

/** A rule of meaning for plans. */
export type PlanRule = Rule<Plan, PlanOptions>;

/** A plan in one spelling, all defaults filled in. `at` is the path of a part in the definition as authored. */
export type Plan = ReadBy<typeof normalise>;
export type State = ReadBy<typeof readState>;
export type StateType = 'strict' | 'loose' | 'goal';
export type Task = ReadBy<typeof readTask>;
export type Deliverable = ReadBy<typeof readDeliverable>;
export type Goal = ReadBy<typeof readGoal>;
export type Transition = ReadBy<typeof readTransition>;
export type PlanTransition = ReadBy<typeof readPlanTransition>;
export type SessionField = ReadBy<typeof readSessionField>;

/** A part of a plan as it is stored in a node of the chart: without paths. */
export function withoutPlaces(part: object): JsonObject {
  const kept = Object.entries(part).filter(([key, value]) => key !== 'at' && value !== undefined);
  return Object.fromEntries(
    // The author's own data may have any fields, and a deliverable any key.
    kept.map(([key, value]) => [
      key,
      key === 'input' || key === 'results' ? (value as Json) : plain(value),
    ]),
  );
}

function plain(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plain);
  return isRecord(value) ? withoutPlaces(value) : (value as Json);
}

/** Reserved ids. Spec: docs/formats/plan.md#reserved-words */
export { end, human, restart };
export const goalTask = '__goal__';
export const goalMarker = '__goal_achieved__';
export const reservedIds: readonly string[] = [
  end,
  human,
  restart,
  goalTask,
  '__goal_deliverables__',
  '__proto__',
];

export const reservedId = error('reserved-id', (what: string, id: string) => ({
  message: `"${id}" is a reserved name and cannot be the ${what}.`,
  hint: 'Choose another name.',
}));

/**
 * Brings a plan of any dialect into one spelling and fills in the defaults. It never fails: a part of a
 * wrong shape is left out (the shape check reports it), so that rules can check the rest. Each object may have its own
 * spelling, because real plans mix generations. Spec: docs/formats/plan.md#spellings
 */
export function normalise(value: unknown, report: Report) {
  const { root, placed, isWhole } = rootOf(value, report);
  const statesAt = isWhole ? ['states'] : [];
  const builder = root.within('metadata').within('plan_builder');
  const canvas = builder.within('canvas');
  const title = root.optional('title', 'name');
  if (title === undefined && isWhole) reportMissingTitle('The plan', root);
  const authored = placed.map(readState);
  const linear = withAutomaticTransitions(authored, statesAt, report);
  const states = withEnds(linear, canvas);
  const initial = root.optional('initial_state_id');
  return {
    id: root.optional('id', 'name') ?? 'plan',
    title: title ?? root.optional('id') ?? 'Conversation plan',
    description: root.text('description'),
    initial_state_id: initial ?? states[0]?.id ?? '',
    /** The path of `initial_state_id`; undefined when it is missing. */
    initialAt: initial === undefined ? undefined : ['initial_state_id'],
    states,
    /** The path of the states. */
    statesAt,
    /** Tried in every state except their target and the states that they exclude. */
    transitions: readPlanTransitions(root, states.length),
    /** Recorded in every state, and never asked for. */
    deliverables: Array.isArray(root.values['deliverables']) ? readDeliverables(root) : undefined,
    on_correction: root.word('on_correction', 'keep'),
    on_end: readOnEnd(root.values['on_end']),
    system_prompt: root.text('system_prompt', 'systemPrompt'),
    language: root.optional('language') ?? 'auto',
    session_context: readSessionContext(root),
    agent_spawn_mode: readSpawnMode(builder.within('start')),
    farewell_message: canvas.within('end_node_config').text('farewell_message').trim(),
  };
}

function readPlanTransitions(root: Fields, states: number) {
  if (!Array.isArray(root.values['transitions'])) return undefined;
  // Each of these is a transition of every state.
  const limit = Math.min(longestList, Math.max(10, Math.floor(20_000 / states)));
  const read: readonly PlanTransition[] = root.list('transitions', limit).map(readPlanTransition);
  return read.toSorted((a, b) => a.priority - b.priority);
}

function readPlanTransition(fields: Fields) {
  return { ...readTransition(fields), except_states: fields.scalars('except_states') };
}

const mostStates = 10_000;

const tooMany = error('too-many', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Split it into several plans.',
}));

const noStates = error('no-states', () => ({
  message: 'The plan has no states.',
  hint: 'Add at least one state: { "id": "greeting", "title": "Greeting", "tasks": [] }.',
}));

const bareStates = info('bare-states', (count: number) => ({
  message:
    count === 1
      ? 'This is a state without a plan around it. It is compiled as a plan with one state.'
      : 'These are states without a plan around them. They are compiled as a plan.',
  hint: 'Write { "id": ..., "title": ..., "states": [...] } to name the plan.',
}));

function rootOf(
  value: unknown,
  report: Report,
): { root: Fields; placed: Fields[]; isWhole: boolean } {
  const reading = { report, tooMany };
  const empty = new Fields({}, [], reading);
  if (Array.isArray(value)) {
    report(value.length === 0 ? noStates() : bareStates(value.length), []);
    return { root: empty, placed: fieldsOf(value, [], reading, mostStates), isWhole: false };
  }
  const root = new Fields(value, [], reading);
  if (isBareState(value)) {
    report(bareStates(1), []);
    return { root: empty, placed: [root], isWhole: false };
  }
  const { states } = root.values;
  if (Array.isArray(states) && states.length === 0) root.report(noStates(), 'states');
  return { root, placed: root.list('states', mostStates), isWhole: true };
}

const unknownSpawnMode = warning('unknown-spawn-mode', (mode: string) => ({
  message: `There is no spawn mode "${mode}", so the agent speaks first, as with "immediate".`,
  hint: () => didYouMean(mode, ['immediate', 'on_demand']) ?? 'Write "immediate" or "on_demand".',
}));

/** An unknown mode is read as `immediate`, the default. */
function readSpawnMode(start: Fields): 'immediate' | 'on_demand' {
  const mode = start.optional('agent_spawn_mode') ?? 'immediate';
  if (mode === 'on_demand') return mode;
  if (mode !== 'immediate') start.report(unknownSpawnMode(mode), 'agent_spawn_mode');
  return 'immediate';
}

const unknownContextField = warning(
  'unknown-context-field',
  (field: string, known: readonly string[]) => ({
    message: `The session context has no field "${field}", so it is ignored.`,
    hint: () => didYouMean(field, known) ?? `Remove it. The fields are ${known.join(', ')}.`,
  }),
);

/** Reports unknown fields. Only the session context does so: it is a form, filled in before the conversation. */
function reportUnknown(fields: Fields, known: readonly string[]): void {
  for (const field of Object.keys(fields.values).filter((one) => !known.includes(one)))
    fields.report(unknownContextField(field, known), field, { at: 'key' });
}

function readSessionContext(root: Fields): readonly SessionField[] {
  const { session_context: written } = root.values;
  const form = root.within(written === undefined ? 'sessionContext' : 'session_context');
  reportUnknown(form, ['fields']);
  return form.list('fields').map(readSessionField);
}

function readSessionField(fields: Fields) {
  const id = fields.text('id');
  reportUnknown(fields, sessionFieldNames);
  return {
    id,
    label: fields.optional('label') ?? id,
    type: fields.word('type', 'number', 'boolean', 'select') ?? ('string' as const),
    required: fields.values['required'] !== false,
    description: fields.text('description'),
    options: fields.scalars('options'),
    default_value: fields.values['default_value'] as Json | undefined,
    at: fields.at,
  };
}

const deliverablesOutsideTask = warning('deliverables-outside-task', (state: string) => ({
  message: `The deliverables of the state "${state}" belong to no task, so they are never collected.`,
  hint: 'Move them into a task in "tasks".',
}));

function readState(fields: Fields) {
  const { deliverables, goal } = fields.values;
  const id = fields.text('id');
  if (Array.isArray(deliverables) && goal === undefined)
    fields.report(deliverablesOutsideTask(id), 'deliverables');
  const type = readStateType(fields);
  const title = fields.optional('title', 'label');
  if (title === undefined)
    reportMissingTitle(id === '' ? 'This state' : `The state "${id}"`, fields);
  const tasks: readonly Task[] = fields.list('tasks').map(readTask);
  const transitions: readonly Transition[] = fields
    .list('transitions')
    .map((one) => readTransition(one, type));
  const ofGoal = fields.record('goal');
  return {
    id,
    title: title ?? id,
    type,
    description: fields.text('description'),
    /** Whether the answers are kept when the state is entered again. */
    on_reentry: fields.word('on_reentry', 'keep'),
    tasks,
    /** In order of priority; equal priorities in the order of the list. */
    transitions: transitions.toSorted((a, b) => a.priority - b.priority),
    goal: ofGoal && readGoal(ofGoal),
    at: fields.at,
  };
}

const missingTitle = warning('missing-title', (what: string) => ({
  message: `${what} has no title, so people see its id.`,
  hint: 'Add "title": "...".',
}));

/** One finding for all missing titles: such a plan was probably written without titles. */
function reportMissingTitle(what: string, fields: Fields): void {
  fields.report(missingTitle(what), [], { about: [fields.path('title')], topic: 'title' });
}

const stateTypes: Readonly<Record<string, StateType>> = {
  strict: 'strict',
  sequential: 'strict',
  loose: 'loose',
  flexible: 'loose',
  goal: 'goal',
};

const unknownStateType = misread('unknown-state-type', (type: string) => ({
  message: `There is no state type "${type}", so the state is treated as loose.`,
  hint: () =>
    didYouMean(type, ['strict', 'loose', 'goal', 'sequential', 'flexible']) ??
    'The types are strict, loose and goal.',
}));

function readStateType(fields: Fields): StateType {
  const { name = 'type' } = pickText(fields, 'type', 'execution_mode') ?? {};
  const word = readWord(fields, name, Object.keys(stateTypes), unknownStateType);
  return (word !== undefined && stateTypes[word]) || 'loose';
}

/** In the older generation, `label` is the description and `description` the instruction. */
function readTask(fields: Fields) {
  const id = fields.text('id');
  const label = fields.optional('label');
  const description = fields.optional('description');
  const agent = fields.optional('agent');
  const deliverables = readDeliverables(fields);
  const results = fields.record('results');
  return {
    id,
    /** Its title. */
    description: label ?? description ?? id,
    /** How to do it. */
    instruction: fields.optional('instruction') ?? (label === undefined ? '' : (description ?? '')),
    required: fields.values['required'] !== false,
    // Nobody is asked for values that an agent finds out.
    deliverables: agent === undefined ? deliverables : deliverables.map(ofAgent),
    /** The agent that does the task instead of the conversation. */
    agent,
    input: fields.record('input')?.values as JsonObject | undefined,
    /** The paths of deliverables in the result. */
    results: results && textsOf(results.values),
    at: fields.at,
  };
}

function textsOf(values: Fields['values']): Readonly<Record<string, string>> {
  const texts = Object.entries(values).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts) as Readonly<Record<string, string>>;
}

function ofAgent(deliverable: Deliverable): Deliverable {
  return { ...deliverable, source: 'agent' };
}

function readDeliverables(fields: Fields): readonly Deliverable[] {
  return fields.list('deliverables').map(readDeliverable);
}

/** In the older generation (a `label` and no `key`), `description` holds the acceptance criteria. */
function readDeliverable(fields: Fields) {
  const key = fields.optional('key');
  const label = fields.optional('label');
  const description = fields.optional('description');
  const isOlder = key === undefined && label !== undefined;
  const { required, confirm, ask_again } = fields.values;
  const { type, ...limits } = readValueType(fields);
  const items = fields.record('items');
  return {
    key: key ?? fields.text('id'),
    type,
    description: isOlder ? label : (description ?? label ?? ''),
    required: required !== false,
    acceptance_criteria:
      fields.optional('acceptance_criteria') ?? (isOlder ? (description ?? '') : ''),
    examples: fields.scalars('examples'),
    ...limits,
    items: items && readValueType(items),
    /** The agent fulfils it by its own words. */
    source: fields.word('source', 'agent'),
    /** The name of the rule that the port `validate` checks. */
    validate: fields.optional('validate'),
    /** Said when a value is refused. */
    refusal: fields.optional('refusal'),
    /** A value said before its turn, or in passing, counts only once the person confirms it. */
    confirm: confirm === true ? confirm : undefined,
    /** The value is asked for even if another state has asked for it. */
    ask_again: ask_again === true ? ask_again : undefined,
  };
}

function readValueType(fields: Fields): ValueType {
  const { enumValues } = fields.values;
  return {
    type: readWord(fields, 'type', deliverableTypes, unknownDeliverableType) ?? 'string',
    enum_values: fields.scalars(Array.isArray(enumValues) ? 'enumValues' : 'enum_values'),
    pattern: fields.optional('pattern'),
    format: fields.word('format', ...textFormats),
    minimum: fields.number('minimum'),
    maximum: fields.number('maximum'),
    min_length: fields.number('min_length'),
    max_length: fields.number('max_length'),
    at: fields.at,
  };
}

const unknownDeliverableType = misread('unknown-deliverable-type', (type: string) => ({
  message: `There is no deliverable type "${type}", so it is treated as string.`,
  hint: () =>
    didYouMean(type, deliverableTypes) ?? 'The types are string, number, boolean, enum and list.',
}));

function readGoal(fields: Fields) {
  return {
    ...fields.texts('objective', 'context', 'depth_guidance', 'boundaries', 'success_description'),
    deliverables: readDeliverables(fields),
    at: fields.at,
  };
}

const conditionWithoutType = misread('condition-without-type', (field: string) => ({
  message: `This transition has no "condition_type", so it waits for all tasks and ignores its "${field}".`,
  hint: 'Add "condition_type", such as "deliverable_value".',
}));

/** @param stateType undefined for a transition of the plan, which is tried in states of all types */
function readTransition(fields: Fields, stateType?: StateType) {
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
function pickText(
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
function withAutomaticTransitions(
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
function withEnds(states: readonly State[], canvas: Fields): readonly State[] {
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
