import type { EachInput, EachOutput, Json } from '@dramaturg/compiler';
import { progressOf } from '../context.ts';
import type { Failure } from '../flow/run.ts';
import { sumOf, type Usage } from '../flow/usage.ts';
import { roundOf } from './call-key.ts';
import type { ItemInput } from './workflow.ts';
import { visitOf, within, type StateAction, type StateInputMaker } from './progress.ts';
import { preparing } from './recovery.ts';

/** Spec: Agent 2 §Map State, Amazon #map-state */
export const prepareMap: StateAction = (scope, params) =>
  preparing(scope, params, (state, progress, visit) => {
    const { flow, map } = state.program;
    const run = state.run(progress);
    const work = map!(run, flow.select(run));
    return state.effects({ ...progress, visit: { ...visit, map: work } });
  });

/** What the supervisor of the items is given. */
export const items: StateInputMaker = (scope, params) => {
  const { context } = scope;
  const { variables, visit } = progressOf(context, params.machine);
  const { values, inputs, concurrency, tolerated } = visit!.map!;
  const { execution, place } = context;
  const { steps } = progressOf(context, params.machine);
  const of = { execution, place, variables, within: roundOf(context, params.machine, steps) };
  return {
    items: inputs.map((input, index): ItemInput => ({
      input,
      item: { index, value: values[index]! },
      of,
    })) as never,
    concurrency,
    tolerated: tolerated ?? 0,
  } satisfies EachInput;
};

interface Ended {
  readonly output: EachOutput;
}

type ItemOutput = { readonly usage?: Usage } & (
  | { readonly status: 'succeeded'; readonly output: Json }
  | ({ readonly status: 'failed' } & Partial<Failure>)
);

export const finishMap: StateAction<Ended> = (scope, params) =>
  within(scope, params, (state, before) => {
    const { results, failures, stopped } = scope.event.output;
    const outcomes = results as readonly (ItemOutput | null)[];
    const usage = sumOf([before.usage, ...outcomes.map((outcome) => outcome?.usage)]);
    const progress = usage ? { ...before, usage } : before;
    if (stopped) {
      const { tolerated } = visitOf(progress).map!;
      const failure =
        tolerated === null ? failureOfItem(outcomes[failures[0]!]) : tooManyFailures(failures);
      return state.effects({ ...progress, failure });
    }
    const outputs = outcomes.map((outcome) =>
      outcome?.status === 'succeeded' ? outcome.output : null,
    );
    return state.attempt(progress, () =>
      state.left(progress, state.program.flow.finish(state.run(progress), outputs)),
    );
  });

function failureOfItem(outcome: ItemOutput | null | undefined): Failure {
  if (outcome?.status !== 'failed') return { error: 'States.Runtime', cause: null };
  return { error: outcome.error ?? null, cause: outcome.cause ?? null };
}

/** AWS "Map state", ToleratedFailureCount */
function tooManyFailures(failures: readonly number[]): Failure {
  const one = failures.length === 1;
  return {
    error: 'States.ExceedToleratedFailureThreshold',
    cause: `The specified tolerated failure threshold was exceeded: ${failures.length} item${one ? '' : 's'} failed.`,
  };
}
