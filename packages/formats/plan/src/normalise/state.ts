import type { JsonObject } from '@dramaturg/compiler';
import { didYouMean } from '@dramaturg/compiler/text';
import { type Fields, readWord } from '@dramaturg/conversation';
import {
  type Deliverable,
  deliverableTypes,
  type Goal,
  type State,
  type StateType,
  type Task,
  textFormats,
  type ValueType,
} from '../definition.ts';
import { misread, warning } from '../problems.ts';
import { pickText, readTransition } from './transition.ts';

const deliverablesOutsideTask = warning('deliverables-outside-task', (state: string) => ({
  message: `The deliverables of the state "${state}" belong to no task, so they are never collected.`,
  hint: 'Move them into a task in "tasks".',
}));

export function readState(fields: Fields): State {
  const { deliverables, goal, on_reentry } = fields.values;
  const id = fields.text('id');
  if (Array.isArray(deliverables) && goal === undefined)
    fields.report(deliverablesOutsideTask(id), 'deliverables');
  const type = readStateType(fields);
  const title = fields.optional('title', 'label');
  if (title === undefined)
    reportMissingTitle(id === '' ? 'This state' : `The state "${id}"`, fields);
  const transitions = fields.list('transitions').map((one) => readTransition(one, type));
  const ofGoal = fields.record('goal');
  return {
    id,
    title: title ?? id,
    type,
    description: fields.text('description'),
    on_reentry: on_reentry === 'keep' ? 'keep' : undefined,
    tasks: fields.list('tasks').map(readTask),
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
export function reportMissingTitle(what: string, fields: Fields): void {
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
function readTask(fields: Fields): Task {
  const id = fields.text('id');
  const label = fields.optional('label');
  const description = fields.optional('description');
  const agent = fields.optional('agent');
  const deliverables = readDeliverables(fields);
  const results = fields.record('results');
  return {
    id,
    description: label ?? description ?? id,
    instruction: fields.optional('instruction') ?? (label === undefined ? '' : (description ?? '')),
    required: fields.values['required'] !== false,
    // Nobody is asked for values that an agent finds out.
    deliverables:
      agent === undefined ? deliverables : deliverables.map((one) => ({ ...one, source: 'agent' })),
    agent,
    input: fields.record('input')?.values as JsonObject | undefined,
    results: results && textsOf(results.values),
    at: fields.at,
  };
}

function textsOf(values: Fields['values']): NonNullable<Task['results']> {
  const texts = Object.entries(values).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts) as NonNullable<Task['results']>;
}

export function readDeliverables(fields: Fields): Deliverable[] {
  return fields.list('deliverables').map(readDeliverable);
}

/** In the older generation (a `label` and no `key`), `description` holds the acceptance criteria. */
function readDeliverable(fields: Fields): Deliverable {
  const key = fields.optional('key');
  const label = fields.optional('label');
  const description = fields.optional('description');
  const isOlder = key === undefined && label !== undefined;
  const { required, source, confirm, ask_again } = fields.values;
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
    source: source === 'agent' ? source : undefined,
    validate: fields.optional('validate'),
    refusal: fields.optional('refusal'),
    confirm: confirm === true ? confirm : undefined,
    ask_again: ask_again === true ? ask_again : undefined,
  };
}

function readValueType(fields: Fields): ValueType {
  const { enumValues, format } = fields.values;
  return {
    type: readWord(fields, 'type', deliverableTypes, unknownDeliverableType) ?? 'string',
    enum_values: fields.scalars(Array.isArray(enumValues) ? 'enumValues' : 'enum_values'),
    pattern: fields.optional('pattern'),
    format: textFormats.find((each) => each === format),
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

function readGoal(fields: Fields): Goal {
  return {
    ...fields.texts('objective', 'context', 'depth_guidance', 'boundaries', 'success_description'),
    deliverables: readDeliverables(fields),
    at: fields.at,
  };
}
