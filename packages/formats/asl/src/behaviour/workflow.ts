import type { BehaviourPart } from './part.ts';
import {
  type Action,
  type ContextMaker,
  InputError,
  type InputMaker,
  isRecord,
  type Json,
  type OutputMaker,
} from '@dramaturg/compiler';
import { type Progress, progressOf, type WorkflowContext } from '../context.ts';
import type { Execution, Item } from '../flow/context-object.ts';
import type { Variables } from '../flow/run.ts';
import { reportOf, type Standing } from '../flow/budget.ts';
import type { Usage } from '../flow/usage.ts';
import type { WorkflowInput } from '../events.ts';
import { failureOf } from './failure.ts';

export interface WorkflowParams {
  readonly machine: string;
  /** What the workflow is called, when whoever starts it gives no name. */
  readonly name: string;
}

/** The context of a workflow, from what it is started with. */
export const startWorkflow: ContextMaker<WorkflowContext, WorkflowParams> = (
  { input: given, world },
  { machine, name },
) => {
  if (given !== undefined && !isRecord(given)) {
    throw new InputError('A workflow is started with an object: { input: ... }.', ['input']);
  }
  const { input = {}, id = world.uuid(), ...more } = (given ?? {}) as WorkflowInput;
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
    [machine]: startOf(input, more.variables ?? {}),
  };
};

/** A template that is run by itself has failed already. */
export const startTemplate: ContextMaker<WorkflowContext, { machine: string }> = (
  start,
  { machine },
) => {
  const context = startWorkflow(start, { machine, name: '' });
  const failure = {
    error: 'States.ValidationError',
    cause: 'This is a template or a module: include it in a workflow.',
  };
  return { ...context, [machine]: { ...progressOf(context, machine), failure } };
};

/** What the machine of an item is started with. */
export interface ItemInput {
  readonly input: Json;
  readonly item: Item;
  /** The same for all items of a Map. */
  readonly of: {
    readonly place: readonly number[];
    readonly execution: Execution;
    readonly variables: Variables;
    /** What was used of the budget when the Map began. */
    readonly before?: Standing;
    /** The visit of the Map. */
    readonly within: string;
  };
  /** What the items have used that have ended since. */
  readonly tally?: Partial<Usage>;
}

export const startItem: ContextMaker<WorkflowContext, { machine: string }> = (
  { input: given },
  { machine },
) => {
  const { input, item, of, tally } = given as ItemInput;
  const { execution, place, variables, before, within } = of;
  return {
    execution,
    item,
    place: [...place, item.index],
    ...(before && {
      before: {
        ...before,
        tokens: before.tokens + (tally?.tokens ?? 0),
        cost: before.cost + (tally?.cost ?? 0),
      },
    }),
    [machine]: { input, variables, within, state: '', enteredAt: 0, steps: 0 } satisfies Progress,
  };
};

function startOf(input: Json, variables: Variables): Progress {
  return { input, variables, state: '', enteredAt: 0, steps: 0 };
}

/** How a run has ended. */
export const outcome: OutputMaker<WorkflowContext, { machine: string }> = (
  { context },
  { machine },
) => {
  const { failure, timedOut, input, usage } = progressOf(context, machine);
  const { spent, item } = context;
  const used = {
    ...(usage && { usage: { ...usage } }),
    // An item tells its Map all that it knows, a workflow tells people.
    ...(spent && (item ? { spent: spent as unknown as Json } : { costs: reportOf(spent) })),
  };
  if (timedOut) return { status: 'timedOut', error: 'States.Timeout', cause: null, ...used };
  if (!failure) return { status: 'succeeded', output: input, ...used };
  return { status: 'failed', error: failure.error, cause: failure.cause, ...used };
};

export const endWorkflow: Action<WorkflowContext, unknown, { machine: string }> = (
  scope,
  params,
) => ({ emit: [{ type: 'workflow.ended', ...(outcome(scope, params) as object) }] });

export const timeOutWorkflow: Action<WorkflowContext, unknown, { machine: string }> = (
  { context },
  { machine },
) => ({ context: { [machine]: { ...progressOf(context, machine), timedOut: true } } });

export const timerFailed: Action<WorkflowContext, { error: unknown }, { machine: string }> = (
  { context, event },
  { machine },
) => ({
  context: { [machine]: { ...progressOf(context, machine), failure: failureOf(event.error) } },
});

export const workflowTimer: InputMaker<WorkflowContext, unknown, { seconds: number }> = (
  { context: { execution } },
  { seconds },
) => ({ key: `${execution.id}/timeout`, at: execution.startedAt + seconds * 1000 });

/** Of the workflow as a whole, and of what a Map runs for an item. */
export const workflowBehaviour = {
  contexts: { startWorkflow, startTemplate, startItem },
  outputs: { outcome },
  actions: { endWorkflow, timeOutWorkflow, timerFailed },
  inputs: { workflowTimer },
} satisfies BehaviourPart;
