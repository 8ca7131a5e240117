import type { BehaviourPart } from './part.ts';
import type { Action, Effects, Json } from '@dramaturg/compiler';
import { type Progress, progressOf, type WorkflowContext } from '../context.ts';
import { sumOf } from '../flow/usage.ts';
import { roundOf } from './call-key.ts';
import {
  type MachineParams,
  type StateParams,
  within,
  type WorkflowScope,
} from './state-at-work.ts';
import { preparing } from './recovery.ts';

export interface ParallelParams extends StateParams {
  /** Names of the machines, in the order of the branches. */
  readonly branches: readonly string[];
}

/** Every branch begins with the same data, and with the variables as they are now. Amazon #parallel-state */
export const prepareParallel: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) =>
  preparing(scope, params, (state, progress, visit) => {
    const { flow } = state.program;
    const run = state.run(progress);
    const work = flow.prepare(run, flow.select(run));
    const effects = state.effects({ ...progress, visit: { ...visit, work } });
    const start = startOf(scope, params, progress, work);
    return { ...effects, context: { ...effects.context, ...start } };
  });

/** The progress with which machines within a state begin. */
export function startOf(
  { context }: Pick<WorkflowScope, 'context'>,
  { branches, machine }: ParallelParams,
  { variables, steps }: Progress,
  input: Json,
) {
  const round = roundOf(context, machine, steps);
  const start = { input, variables, state: '', enteredAt: 0, steps: 0, within: round };
  return Object.fromEntries(branches.map((branch) => [branch, start]));
}

export const finishParallel: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) => {
  const branches = params.branches.map((branch) => progressOf(scope.context, branch));
  const outputs = branches.map(({ input }) => input);
  const effects = within(scope, params, (state, before) => {
    const progress = withUsageOf(before, branches);
    return state.attempt(progress, () =>
      state.left(progress, state.program.flow.finish(state.run(progress), outputs)),
    );
  });
  return { ...effects, context: { ...effects.context, ...withoutBranches(params.branches) } };
};

/** A branch has failed, and with it the Parallel; XState stops its siblings. */
export const failBranch: Action<
  WorkflowContext,
  unknown,
  MachineParams & { of: string; branches: readonly string[] }
> = ({ context }, { machine, of, branches }): Effects<WorkflowContext> => {
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

/** Branches that have ended leave nothing behind. */
export function withoutBranches(branches: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(branches.map((branch) => [branch, undefined]));
}

export const parallelBehaviour = {
  actions: { prepareParallel, finishParallel, failBranch },
} satisfies BehaviourPart;
