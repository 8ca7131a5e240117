import { isRecord, type Path } from '@dramaturg/compiler';
import type {
  Deliverable,
  DeliverableType,
  Finding,
  Goal,
  State,
  StateType,
  Task,
} from '../definition.ts';
import { missingTitle, unknownStateType } from '../diagnostics/states.ts';
import { deliverablesOutsideTask, unknownDeliverableType } from '../diagnostics/tasks.ts';
import { conflictingSpelling } from '../diagnostics/transitions.ts';
import { type Placed, records, scalars, textOf } from './fields.ts';
import { readTransition } from './transition.ts';

export function readState(fields: Record<string, unknown>, at: Path, findings: Finding[]): State {
  const id = textOf(fields['id']) ?? '';
  if (Array.isArray(fields['deliverables']) && fields['goal'] === undefined) {
    findings.push({ problem: deliverablesOutsideTask(id), path: [...at, 'deliverables'] });
  }
  const type = readStateType(fields, at, findings);
  const title = textOf(fields['title']) ?? textOf(fields['label']);
  if (title === undefined)
    findings.push(withoutTitle(id === '' ? 'This state' : `The state "${id}"`, at));
  const transitions = records(fields['transitions'], [...at, 'transitions'], findings).map(
    (transition) => readTransition(transition, type, findings),
  );
  return {
    id,
    title: title ?? id,
    type,
    description: textOf(fields['description']) ?? '',
    tasks: records(fields['tasks'], [...at, 'tasks'], findings).map((task) =>
      readTask(task, findings),
    ),
    transitions: transitions.toSorted((a, b) => a.priority - b.priority),
    goal: isRecord(fields['goal'])
      ? readGoal(fields['goal'], [...at, 'goal'], findings)
      : undefined,
    at,
  };
}

/** All of a plan that lacks a title is one finding: it was written without titles. */
export function withoutTitle(what: string, at: Path): Finding {
  const details = { about: [[...at, 'title']], topic: 'title' };
  return { problem: missingTitle(what), path: at, details };
}

const stateTypes: Readonly<Record<string, StateType>> = {
  strict: 'strict',
  sequential: 'strict',
  loose: 'loose',
  flexible: 'loose',
  goal: 'goal',
};

function readStateType(fields: Record<string, unknown>, at: Path, findings: Finding[]): StateType {
  const field = fields['type'] === undefined ? 'execution_mode' : 'type';
  const written = textOf(fields[field]);
  if (written === undefined) return 'loose';
  if (
    textOf(fields['execution_mode']) !== undefined &&
    field === 'type' &&
    written !== fields['execution_mode']
  ) {
    findings.push({
      problem: conflictingSpelling('type', 'execution_mode'),
      path: [...at, 'execution_mode'],
    });
  }
  const word = written.trim().toLowerCase();
  const type = Object.hasOwn(stateTypes, word) ? stateTypes[word] : undefined;
  if (type === undefined)
    findings.push({ problem: unknownStateType(written), path: [...at, field] });
  return type ?? 'loose';
}

/** With a `label`, the older generation's `description` is the instruction. */
function readTask({ value: fields, at }: Placed, findings: Finding[]): Task {
  const id = textOf(fields['id']) ?? '';
  const label = textOf(fields['label']);
  const description = textOf(fields['description']);
  return {
    id,
    description: label ?? description ?? id,
    instruction: textOf(fields['instruction']) ?? (label === undefined ? '' : (description ?? '')),
    required: fields['required'] !== false,
    deliverables: readDeliverables(fields['deliverables'], [...at, 'deliverables'], findings),
    at,
  };
}

function readDeliverables(value: unknown, at: Path, findings: Finding[]): Deliverable[] {
  return records(value, at, findings).map((deliverable) => readDeliverable(deliverable, findings));
}

/** Without a `key`, the older generation's `description` is the acceptance criteria when there is a `label`. */
function readDeliverable({ value: fields, at }: Placed, findings: Finding[]): Deliverable {
  const key = textOf(fields['key']);
  const label = textOf(fields['label']);
  const description = textOf(fields['description']);
  const isOlder = key === undefined && label !== undefined;
  const enumField = Array.isArray(fields['enumValues']) ? 'enumValues' : 'enum_values';
  return {
    key: key ?? textOf(fields['id']) ?? '',
    type: readDeliverableType(fields['type'], at, findings),
    description: isOlder ? label : (description ?? label ?? ''),
    required: fields['required'] !== false,
    acceptance_criteria:
      textOf(fields['acceptance_criteria']) ?? (isOlder ? (description ?? '') : ''),
    examples: scalars(fields['examples'], [...at, 'examples'], findings),
    enum_values: scalars(fields[enumField], [...at, enumField], findings),
    at,
  };
}

function readDeliverableType(written: unknown, at: Path, findings: Finding[]): DeliverableType {
  if (typeof written !== 'string') return 'string';
  const word = written.trim().toLowerCase();
  if (word === 'string' || word === 'number' || word === 'boolean' || word === 'enum') return word;
  findings.push({ problem: unknownDeliverableType(written), path: [...at, 'type'] });
  return 'string';
}

function readGoal(fields: Record<string, unknown>, at: Path, findings: Finding[]): Goal {
  return {
    objective: textOf(fields['objective']) ?? '',
    context: textOf(fields['context']) ?? '',
    depth_guidance: textOf(fields['depth_guidance']) ?? '',
    boundaries: textOf(fields['boundaries']) ?? '',
    success_description: textOf(fields['success_description']) ?? '',
    deliverables: readDeliverables(fields['deliverables'], [...at, 'deliverables'], findings),
    at,
  };
}
