import { forwardToItem } from './token.ts';
import type { BehaviourPart } from './part.ts';
import type { EachInput, EachOutput, Json } from '@dramaturg/compiler';
import { progressOf } from '../context.ts';
import type { WorkflowBudget } from '../definition/index.ts';
import { joined, type Spending, type Standing, standingOf } from '../flow/budget.ts';
import type { Failure } from '../flow/run.ts';
import { sumOf, type Usage } from '../flow/usage.ts';
import { roundOf } from './call-key.ts';
import type { ItemInput } from './workflow.ts';
import {
  StateAtWork,
  visitOf,
  within,
  type StateAction,
  type StateInputMaker,
} from './state-at-work.ts';
import { joining } from './spending.ts';
import { preparing } from './recovery.ts';
import { reportOfItems } from './progress.ts';

/** Spec: Agent 2 §Map State, Amazon #map-state */
export const prepareMap: StateAction = (scope, params) =>
  preparing(scope, params, (state, progress, visit) => {
    const { flow, map } = state.program;
    const run = state.run(progress);
    const work = map!(run, flow.select(run));
    return state.effects({ ...progress, visit: { ...visit, map: work } });
  });

/** What the supervisor of the items is given. */
export const mapItems: StateInputMaker = (scope, params) => {
  const { context } = scope;
  const { variables, visit } = progressOf(context, params.machine);
  const { values, inputs, concurrency, tolerated } = visit!.map!;
  const { execution, place } = context;
  const state = new StateAtWork(scope, params);
  const { budget } = state;
  const before = budget && standingOf(context.before, context.spent);
  const { steps } = progressOf(context, params.machine);
  const round = roundOf(context, params.machine, steps);
  const of = { execution, place, variables, within: round, ...(before && { before }) };
  return {
    items: inputs.map((input, index): ItemInput => ({
      input,
      item: { index, value: values[index]! },
      of,
    })) as never,
    concurrency,
    tolerated: tolerated ?? 0,
    ...(budget && before && { tally: tallyOf(budget, before) }),
    ...reportOfItems(state, state.progress),
  } satisfies EachInput;
};

/** What items use is added up while others run; what may not be used stops them. */
function tallyOf(budget: WorkflowBudget, { tokens, cost, marks }: Standing) {
  const { MaxTokens, MaxCost, OnExceed } = budget;
  const left = (most: number | undefined, used: number) =>
    most === undefined || OnExceed !== 'Fail' ? undefined : most * (1 + marks.grants) - used;
  const limits = { tokens: left(MaxTokens, tokens), cost: left(MaxCost, cost) };
  return {
    field: 'usage',
    limits: Object.fromEntries(
      Object.entries(limits).flatMap(([name, most]) => (most === undefined ? [] : [[name, most]])),
    ),
  };
}

interface Ended {
  readonly output: EachOutput;
}

type ItemOutput = { readonly usage?: Usage; readonly spent?: Spending } & (
  | { readonly status: 'succeeded'; readonly output: Json }
  | ({ readonly status: 'failed' } & Partial<Failure>)
);

export const finishMap: StateAction<Ended> = (scope, params) =>
  within(scope, params, (state, before) => {
    const { results, failures, stopped, exceeded } = scope.event.output;
    const outcomes = results as readonly (ItemOutput | null)[];
    const usage = sumOf([before.usage, ...outcomes.map((outcome) => outcome?.usage)]);
    const progress = usage ? { ...before, usage } : before;
    const { spent, emit } = joining(state, spendingOf(scope.context.spent, outcomes));
    const effects = ended();
    return {
      context: { ...effects.context, ...(spent && { spent }) },
      emit: [...emit, ...(effects.emit ?? [])],
    };

    function ended() {
      if (exceeded) {
        const failure = state.budgetFailure(standingOf(scope.context.before, spent));
        return state.effects({ ...progress, failure });
      }
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
    }
  });

function spendingOf(
  before: Spending | undefined,
  outcomes: readonly (ItemOutput | null)[],
): Spending | undefined {
  return outcomes.reduce(
    (sum, outcome) => (outcome?.spent ? joined(sum, outcome.spent) : sum),
    before,
  );
}

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

export const mapBehaviour = {
  actions: { prepareMap, finishMap, forwardToItem },
  inputs: { mapItems },
} satisfies BehaviourPart;
