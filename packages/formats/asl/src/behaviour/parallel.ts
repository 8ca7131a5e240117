import type { Action } from '@dramaturg/compiler/format';
import {
  type Progress,
  progressOf,
  withVisit,
  type WorkflowContext,
  type WorkVisit,
} from '../context.ts';
import { sumOf } from '../flow/usage.ts';
import { parentVisitOf } from './call-key.ts';
import type { BehaviourPart } from './part.ts';
import type { MachineParams, StateParams, WorkflowScope } from './state-at-work.ts';
import { continueState, leaveState, prepareState } from './state-steps.ts';

export interface ParallelParams extends StateParams {
  /** Names of the machines, in the order of the branches. */
  readonly branches: readonly string[];
}

/** Every branch begins with the same input and the current variables. Amazon #parallel-state */
const prepareParallel: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) =>
  prepareState(scope, params, (state, progress) => {
    const { flow } = state.program;
    const run = state.run(progress);
    const work = flow.prepare(run, flow.select(run));
    const effects = state.effects(withVisit<WorkVisit>(progress, { work }));
    const branches = beginBranches(scope, params, progress, work);
    return { ...effects, context: { ...effects.context, ...branches } };
  });

/** The initial progress of the machines within a state. */
export function beginBranches(
  { context }: Pick<WorkflowScope, 'context'>,
  { branches, machine }: ParallelParams,
  { variables, steps }: Progress,
  input: Progress['input'],
): Record<string, Progress> {
  const parentVisit = parentVisitOf(context, machine, steps);
  const start = { input, variables, state: '', enteredAt: 0, steps: 0, parentVisit };
  return Object.fromEntries(branches.map((branch) => [branch, start]));
}

const finishParallel: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) => {
  const branches = params.branches.map((branch) => progressOf(scope.context, branch));
  const outputs = branches.map(({ input }) => input);
  const effects = continueState(scope, params, (state, before) => {
    const progress = withUsageOf(before, branches);
    return state.attempt(progress, () =>
      leaveState(state, progress, state.program.flow.finish(state.run(progress), outputs)),
    );
  });
  return { ...effects, context: { ...effects.context, ...withoutBranches(params.branches) } };
};

/** The failure of a branch fails the Parallel. XState stops the other branches. */
export const failBranch: Action<
  WorkflowContext,
  unknown,
  MachineParams & { of: string; branches: readonly string[] }
> = ({ context }, { machine, of, branches }) => {
  const failure = progressOf(context, machine).failure!;
  const ended = branches.map((branch) => progressOf(context, branch));
  return {
    context: {
      [of]: { ...withUsageOf(progressOf(context, of), ended), failure },
      ...withoutBranches(branches),
    },
  };
};

export function withUsageOf(progress: Progress, branches: readonly Progress[]): Progress {
  const usage = sumOf([progress.usage, ...branches.map((branch) => branch.usage)]);
  return usage ? { ...progress, usage } : progress;
}

/** Removes the progress of branches that have ended. */
export function withoutBranches(branches: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(branches.map((branch) => [branch, undefined]));
}

export const parallelBehaviour = {
  actions: { prepareParallel, finishParallel, failBranch },
} satisfies BehaviourPart;
