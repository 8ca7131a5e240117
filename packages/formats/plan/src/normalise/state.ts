import { isRecord, type JsonObject, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import {
  type Deliverable,
  type DeliverableType,
  deliverableTypes,
  type Goal,
  type State,
  type StateType,
  type Task,
  textFormats,
  type ValueType,
} from '../definition.ts';
import { missingTitle, unknownStateType } from '../diagnostics/states.ts';
import { deliverablesOutsideTask, unknownDeliverableType } from '../diagnostics/tasks.ts';
import { conflictingSpelling } from '../diagnostics/transitions.ts';
import { type Placed, records, scalars, optionalString } from './fields.ts';
import { readTransition } from './transition.ts';

export function readState(fields: Record<string, unknown>, at: Path, report: Report): State {
  const id = optionalString(fields['id']) ?? '';
  if (Array.isArray(fields['deliverables']) && fields['goal'] === undefined) {
    report(deliverablesOutsideTask(id), [...at, 'deliverables']);
  }
  const type = readStateType(fields, at, report);
  const title = optionalString(fields['title']) ?? optionalString(fields['label']);
  if (title === undefined)
    reportMissingTitle(id === '' ? 'This state' : `The state "${id}"`, at, report);
  const transitions = records(fields['transitions'], [...at, 'transitions'], report).map(
    (transition) => readTransition(transition, type, report),
  );
  return {
    id,
    title: title ?? id,
    type,
    description: optionalString(fields['description']) ?? '',
    on_reentry: fields['on_reentry'] === 'keep' ? 'keep' : undefined,
    tasks: records(fields['tasks'], [...at, 'tasks'], report).map((task) => readTask(task, report)),
    transitions: transitions.toSorted((a, b) => a.priority - b.priority),
    goal: isRecord(fields['goal']) ? readGoal(fields['goal'], [...at, 'goal'], report) : undefined,
    at,
  };
}

/** One finding for all missing titles: such a plan was probably written without titles. */
export function reportMissingTitle(what: string, at: Path, report: Report): void {
  report(missingTitle(what), at, { about: [[...at, 'title']], topic: 'title' });
}

const stateTypes: Readonly<Record<string, StateType>> = {
  strict: 'strict',
  sequential: 'strict',
  loose: 'loose',
  flexible: 'loose',
  goal: 'goal',
};

function readStateType(fields: Record<string, unknown>, at: Path, report: Report): StateType {
  const field = fields['type'] === undefined ? 'execution_mode' : 'type';
  const written = optionalString(fields[field]);
  if (written === undefined) return 'loose';
  if (
    optionalString(fields['execution_mode']) !== undefined &&
    field === 'type' &&
    written !== fields['execution_mode']
  ) {
    report(conflictingSpelling('type', 'execution_mode'), [...at, 'execution_mode']);
  }
  const word = written.trim().toLowerCase();
  const type = Object.hasOwn(stateTypes, word) ? stateTypes[word] : undefined;
  if (type === undefined) report(unknownStateType(written), [...at, field]);
  return type ?? 'loose';
}

/** In the older generation, `label` is the description and `description` the instruction. */
function readTask({ value: fields, at }: Placed, report: Report): Task {
  const id = optionalString(fields['id']) ?? '';
  const label = optionalString(fields['label']);
  const description = optionalString(fields['description']);
  const agent = optionalString(fields['agent']);
  const deliverables = readDeliverables(fields['deliverables'], [...at, 'deliverables'], report);
  return {
    id,
    description: label ?? description ?? id,
    instruction:
      optionalString(fields['instruction']) ?? (label === undefined ? '' : (description ?? '')),
    required: fields['required'] !== false,
    // Nobody is asked for values that an agent finds out.
    deliverables:
      agent === undefined ? deliverables : deliverables.map((one) => ({ ...one, source: 'agent' })),
    agent,
    input: isRecord(fields['input']) ? (fields['input'] as JsonObject) : undefined,
    results: isRecord(fields['results']) ? readResults(fields['results']) : undefined,
    at,
  };
}

function readResults(fields: Record<string, unknown>): Task['results'] {
  const paths = Object.entries(fields).filter(([, path]) => typeof path === 'string');
  return Object.fromEntries(paths) as Task['results'];
}

export function readDeliverables(value: unknown, at: Path, report: Report): Deliverable[] {
  return records(value, at, report).map((deliverable) => readDeliverable(deliverable, report));
}

/** In the older generation (a `label` and no `key`), `description` holds the acceptance criteria. */
function readDeliverable({ value: fields, at }: Placed, report: Report): Deliverable {
  const key = optionalString(fields['key']);
  const label = optionalString(fields['label']);
  const description = optionalString(fields['description']);
  const isOlder = key === undefined && label !== undefined;
  const { items } = fields;
  const { type, ...limits } = readValueType({ value: fields, at }, report);
  return {
    key: key ?? optionalString(fields['id']) ?? '',
    type,
    description: isOlder ? label : (description ?? label ?? ''),
    required: fields['required'] !== false,
    acceptance_criteria:
      optionalString(fields['acceptance_criteria']) ?? (isOlder ? (description ?? '') : ''),
    examples: scalars(fields['examples'], [...at, 'examples'], report),
    ...limits,
    items: isRecord(items)
      ? readValueType({ value: items, at: [...at, 'items'] }, report)
      : undefined,
    source: fields['source'] === 'agent' ? 'agent' : undefined,
    validate: optionalString(fields['validate']),
    refusal: optionalString(fields['refusal']),
    confirm: fields['confirm'] === true ? true : undefined,
    ask_again: fields['ask_again'] === true ? true : undefined,
  };
}

function readValueType({ value: fields, at }: Placed, report: Report): ValueType {
  const enumField = Array.isArray(fields['enumValues']) ? 'enumValues' : 'enum_values';
  return {
    type: readDeliverableType(fields['type'], at, report),
    enum_values: scalars(fields[enumField], [...at, enumField], report),
    pattern: optionalString(fields['pattern']),
    format: textFormats.find((format) => format === fields['format']),
    minimum: optionalNumber(fields['minimum']),
    maximum: optionalNumber(fields['maximum']),
    min_length: optionalNumber(fields['min_length']),
    max_length: optionalNumber(fields['max_length']),
    at,
  };
}

function optionalNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function readDeliverableType(written: unknown, at: Path, report: Report): DeliverableType {
  if (typeof written !== 'string') return 'string';
  const word = written.trim().toLowerCase();
  const type = deliverableTypes.find((each) => each === word);
  if (type === undefined) report(unknownDeliverableType(written), [...at, 'type']);
  return type ?? 'string';
}

function readGoal(fields: Record<string, unknown>, at: Path, report: Report): Goal {
  return {
    objective: optionalString(fields['objective']) ?? '',
    context: optionalString(fields['context']) ?? '',
    depth_guidance: optionalString(fields['depth_guidance']) ?? '',
    boundaries: optionalString(fields['boundaries']) ?? '',
    success_description: optionalString(fields['success_description']) ?? '',
    deliverables: readDeliverables(fields['deliverables'], [...at, 'deliverables'], report),
    at,
  };
}
