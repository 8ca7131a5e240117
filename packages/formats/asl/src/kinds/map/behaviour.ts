import type { Json } from '@dramaturg/compiler';
import type { Action, EachInput, EachOutput } from '@dramaturg/compiler/format';
import type { World } from '@dramaturg/compiler/machine';
import { parentVisitOf } from '../../behaviour/call-key.ts';
import {
  finishedMap,
  mapReaderBehaviour,
  mapWriterBehaviour,
  withItems,
} from '../../behaviour/map-writer.ts';
import { composed } from '../../behaviour/part.ts';
import { reportsOfItems } from '../../behaviour/progress.ts';
import { emitAlertsOfItems } from '../../behaviour/spending.ts';
import {
  type StateAction,
  StateAtWork,
  type StateInputMaker,
} from '../../behaviour/state-at-work.ts';
import { continueState, leaveState, prepareState } from '../../behaviour/state-steps.ts';
import type { SharedByItems } from '../../behaviour/workflow.ts';
import { type Progress, visitOf, withVisit, type WorkflowContext } from '../../context.ts';
import type { MapState, WorkflowBudget } from '../../definition/index.ts';
import { mergeSpending, type Spending, type Standing, standingOf } from '../../flow/budget.ts';
import { labelOf } from '../../flow/map-run.ts';
import type { ItemOutput } from '../../flow/result-writer.ts';
import type { Failure } from '../../flow/run.ts';
import { sumOf } from '../../flow/usage.ts';
import type { MapProgram, MapVisit } from './program.ts';

/**
 * A token completes a task from outside. It begins with the indexes of the items around the task, so that an event
 * reaches the actor of the task. The rest is random: `0.12.6f9619ff-...`
 */
export function createToken({ place }: WorkflowContext, world: World): string {
  return [...place, world.uuid()].join('.');
}

/** Forwards an event to the actor of the item that its token names, if it is an item of this Map. */
const forwardToItem: Action<WorkflowContext, { type: string; token?: unknown }, { to: string }> = (
  { context, event },
  { to },
) => {
  const parts = typeof event.token === 'string' ? event.token.split('.') : [];
  const { length } = context.place;
  if (parts.length < length + 2) return {};
  const index = Number(parts[length]);
  return { send: [{ to, event: { type: 'each.forward', index, event } }] };
};

/*
 * The visit of a Map owns the items and the limits (`map`). The supervisor (`each`) owns which items run, wait or have
 * ended; the actor of an item owns everything about that item. Results and usage of the items return once, when the
 * supervisor ends.
 */

/** Spec: Agent 2 §Map State, Amazon #map-state */
const prepareMap: StateAction = (scope, params) =>
  prepareState<MapProgram>(scope, params, (state, progress) => {
    const { flow, reader, writer, state: definition } = state.program;
    const { Mode: mode, Label: label, name } = definition as MapState;
    const run = state.run(progress);
    const selected = flow.select(run);
    const begun = withVisit<MapVisit>(progress, {
      ...(mode === 'DISTRIBUTED' && {
        mapRun: { label: labelOf(label, name), name: state.world.uuid() },
      }),
      ...(writer && { target: writer.begin(run, selected) }),
      ...(reader && { reading: reader.begin(run, selected) }),
    });
    return state.effects(reader ? begun : withItems(state, begun));
  });

/** The input of the supervisor. Lists are the same objects as in the visit, so that a host stores them once. */
const mapItems: StateInputMaker = (scope, params) => {
  const { context } = scope;
  const { execution, place, child } = context;
  const state = new StateAtWork(scope, params);
  const { budget, progress } = state;
  const { variables, steps } = progress;
  const { map, mapRun } = visitOf<MapVisit>(progress) as MapVisit;
  const { values, origins, inputs, concurrency, tolerated } = map;
  const before = budget && standingOf(context.before, context.spent);
  const shared: SharedByItems = {
    execution,
    place,
    // AWS "Passing data between states with variables": the items of a distributed Map do not see them.
    variables: mapRun ? {} : variables,
    parentVisit: parentVisitOf(context, params.machine, steps),
    ...(before && { before }),
    ...(mapRun && { mapRun }),
    ...(child && { child }),
    ...(values && { values }),
    ...(origins && { origins }),
  };
  return {
    items: inputs,
    shared: shared as never,
    concurrency,
    tolerated: tolerated ?? 0,
    ...(budget && before && { tally: tallyOf(budget, before) }),
    ...reportsOfItems(state, progress),
  } satisfies EachInput;
};

/** The supervisor adds up the usage of the items, and stops them at a limit that must not be exceeded. */
function tallyOf(budget: WorkflowBudget, { tokens, cost, marks }: Standing) {
  const { MaxTokens, MaxCost, OnExceed } = budget;
  const remaining = (most: number | undefined, used: number) =>
    most === undefined || OnExceed !== 'Fail' ? undefined : most * (1 + marks.grants) - used;
  const limits = { tokens: remaining(MaxTokens, tokens), cost: remaining(MaxCost, cost) };
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

const finishMap: StateAction<Ended> = (scope, params) =>
  continueState<MapProgram>(scope, params, (state, before) => {
    const { writer } = state.program;
    const { target, writing } = visitOf<MapVisit>(before);
    const ended = writing?.ended ?? scope.event.output;
    const { results, failures, stopped, exceeded } = ended;
    const outcomes = results as readonly (ItemOutput | null)[];
    const usage = sumOf([before.usage, ...outcomes.map((outcome) => outcome?.usage)]);
    const progress = usage ? { ...before, usage } : before;
    const { spent, emit } = emitAlertsOfItems(state, spendingOf(scope.context.spent, outcomes));
    const effects = end();
    return {
      context: { ...effects.context, ...(spent && { spent }) },
      emit: [...emit, ...(effects.emit ?? [])],
    };

    function end() {
      if (exceeded) {
        const failure = state.budgetFailure(standingOf(scope.context.before, spent));
        return state.effects(failedWith(failure));
      }
      if (stopped) {
        const { tolerated } = visitOf<MapVisit>(progress).map!;
        const failure =
          tolerated === null ? failureOfItem(outcomes[failures[0]!]) : tooManyFailures(failures);
        return state.effects(failedWith(failure));
      }
      return state.attempt(progress, () =>
        leaveState(state, progress, state.program.flow.finish(state.run(progress), result())),
      );
    }

    /** The results stay, so that people see which items have failed. */
    function failedWith(failure: Failure): Progress {
      return withVisit<MapVisit>({ ...progress, failure }, { ended });
    }

    function result(): Json {
      const map = finishedMap(state.context, before, ended);
      if (target) return writer!.written(map, target);
      if (writer) return writer.transformed(map);
      return outcomes.map((outcome) => (outcome?.status === 'succeeded' ? outcome.output : null));
    }
  });

function spendingOf(
  before: Spending | undefined,
  outcomes: readonly (ItemOutput | null)[],
): Spending | undefined {
  return outcomes.reduce(
    (sum, outcome) => (outcome?.spent ? mergeSpending(sum, outcome.spent) : sum),
    before,
  );
}

function failureOfItem(outcome: ItemOutput | null | undefined): Failure {
  if (outcome?.status !== 'failed') return { error: 'States.Runtime', cause: null };
  const { error = null, cause = null, at } = outcome;
  return { error, cause, ...(at && { at }) };
}

/** AWS "Map state", ToleratedFailureCount */
function tooManyFailures(failures: readonly number[]): Failure {
  const one = failures.length === 1;
  return {
    error: 'States.ExceedToleratedFailureThreshold',
    cause: `The specified tolerated failure threshold was exceeded: ${failures.length} item${one ? '' : 's'} failed.`,
  };
}

export const mapBehaviour = composed(mapReaderBehaviour, mapWriterBehaviour, {
  actions: { prepareMap, finishMap, forwardToItem },
  inputs: { mapItems },
});
