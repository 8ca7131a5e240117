import { InputError, isRecord, type Json } from '@dramaturg/compiler';
import {
  type Action,
  type ContextMaker,
  type InputMaker,
  inSentences,
  type ItemStart,
  type OutputMaker,
} from '@dramaturg/compiler/format';
import { unknownFields } from '@dramaturg/compiler/shapes';
import { type Progress, progressOf, type WorkflowContext } from '../context.ts';
import type { WorkflowInput } from '../events.ts';
import { reportOf, type Consumption } from '../flow/budget.ts';
import type { ChildRun, Execution, MapRun, Variables } from '../flow/run.ts';
import { itemAt, type MapWork } from '../kinds/map/program.ts';
import { redactEvents } from './audit.ts';
import { failureOf, type MachineParams } from './state-at-work.ts';
import type { BehaviourPart } from './part.ts';

export interface WorkflowParams extends MachineParams {
  /** The name of a run whose input has none. */
  readonly name: string;
}

const startWorkflow: ContextMaker<WorkflowContext, WorkflowParams> = (
  { input: given, world },
  { machine, name },
) => {
  const { input = {}, id = world.uuid(), ...more } = readInput(given);
  const execution: Execution = {
    id,
    name: more.name ?? (name === '' ? id : name),
    startedAt: world.now(),
    input,
    ...(more.context && { context: more.context }),
  };
  return {
    execution,
    place: [],
    [machine]: initialProgress(input, more.variables ?? {}),
  };
};

const inputFields = ['input', 'id', 'name', 'variables', 'context'];

/** @throws InputError with everything that does not fit */
function readInput(given: unknown): WorkflowInput {
  if (given !== undefined && !isRecord(given))
    throw new InputError('A workflow is started with an object: { input: ... }.', ['input']);
  // A host passes the id of an instance under this name, too.
  const { conversation: _, ...fields } = given ?? {};
  const problems = unknownFields(fields, inputFields);
  for (const name of ['id', 'name'])
    if (fields[name] !== undefined && typeof fields[name] !== 'string')
      problems.push(`"${name}" must be a text`);
  for (const name of ['variables', 'context'])
    if (fields[name] !== undefined && !isRecord(fields[name]))
      problems.push(`"${name}" must be an object`);
  if (problems.length === 0) return fields;
  const hint = 'The data of the workflow belongs in { "input": { ... } }.';
  throw new InputError(`The workflow cannot start: ${inSentences(problems)} ${hint}`, problems);
}

/** A template without a workflow around it fails immediately. */
const startTemplate: ContextMaker<WorkflowContext, MachineParams> = (start, { machine }) => {
  const context = startWorkflow(start, { machine, name: '' });
  const failure = {
    error: 'States.ValidationError',
    cause: 'This is a template or a module: include it in a workflow.',
  };
  return { ...context, [machine]: { ...progressOf(context, machine), failure } };
};

/** The data that the machines of a Map's items share. */
export interface SharedByItems extends Pick<MapWork, 'values' | 'origins'> {
  readonly place: readonly number[];
  readonly execution: Execution;
  readonly variables: Variables;
  /** The usage of the workflow when the Map began. */
  readonly before?: Consumption;
  /** The visit of the Map. */
  readonly parentVisit: string;
  /** The run of a distributed Map: each item is an execution. */
  readonly mapRun?: MapRun;
  /** The execution around an inline Map. */
  readonly child?: ChildRun;
}

const startItem: ContextMaker<WorkflowContext, MachineParams> = (
  { input: given, world },
  { machine },
) => {
  const { index, item: input, shared, tally } = given as ItemStart;
  const common = shared as unknown as SharedByItems;
  const { execution, place, variables, before, parentVisit, mapRun } = common;
  const own = mapRun && { of: mapRun, machine, index, startedAt: world.now(), input };
  const child = own ?? common.child;
  return {
    execution,
    item: itemAt(common, index, input),
    ...(child && { child }),
    place: [...place, index],
    ...(before && {
      before: {
        ...before,
        tokens: before.tokens + (tally?.['tokens'] ?? 0),
        cost: before.cost + (tally?.['cost'] ?? 0),
      },
    }),
    [machine]: { ...initialProgress(input, variables), parentVisit } satisfies Progress,
  };
};

function initialProgress(input: Json, variables: Variables): Progress {
  return { input, variables, state: '', enteredAt: 0, steps: 0 };
}

/** The outcome of a run, or of an item. */
const outcome: OutputMaker<WorkflowContext, MachineParams> = ({ context, world }, { machine }) => {
  const { failure, timedOut, input, usage } = progressOf(context, machine);
  const { spent, item, child } = context;
  const isChild = child !== undefined && machine === child.machine;
  const used = {
    ...(isChild && { startedAt: child.startedAt, stoppedAt: world.now() }),
    ...(usage && { usage: { ...usage } }),
    // A Map needs all of an item's spending, people need a report.
    ...(spent && (item ? { spent: spent as unknown as Json } : { costs: reportOf(spent) })),
  };
  if (timedOut) return { status: 'timedOut', error: 'States.Timeout', cause: null, ...used };
  if (!failure) return { status: 'succeeded', output: input, ...used };
  const { error, cause, at } = failure;
  // A Map shows which item has failed, and where.
  return { status: 'failed', error, cause, ...(item && at && { at: { ...at } }), ...used };
};

const endWorkflow: Action<WorkflowContext, unknown, MachineParams> = (scope, params) => ({
  emit: redactEvents(scope, params.machine, [
    { type: 'workflow.ended', ...(outcome(scope, params) as object) },
  ]),
});

/** The state that the time limit interrupts has failed, because surfaces show where a run has ended. */
const timeOutWorkflow: Action<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => {
  const progress = progressOf(context, machine);
  const { state } = progress;
  const failed = { type: 'state.failed', state, error: 'States.Timeout', cause: null };
  return {
    context: { [machine]: { ...progress, timedOut: true } },
    emit: state === '' ? [] : [failed],
  };
};

const timerFailed: Action<WorkflowContext, { error: unknown }, MachineParams> = (
  { context, event },
  { machine },
) => ({
  context: { [machine]: { ...progressOf(context, machine), failure: failureOf(event.error) } },
});

const workflowTimer: InputMaker<WorkflowContext, unknown, { seconds: number }> = (
  { context: { execution } },
  { seconds },
) => ({ key: `${execution.id}/timeout`, at: execution.startedAt + seconds * 1000 });

/** The behaviour of a workflow as a whole, and of the machine of an item. */
export const workflowBehaviour = {
  contexts: { startWorkflow, startTemplate, startItem },
  outputs: { outcome },
  actions: { endWorkflow, timeOutWorkflow, timerFailed },
  inputs: { workflowTimer },
} satisfies BehaviourPart;
