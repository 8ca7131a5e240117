import type { EventObject, PortInput, PortOutput } from '@dramaturg/compiler';
import type { Action, Effects, Guard } from '@dramaturg/compiler/format';
import { accountName } from '@dramaturg/compiler/machine';
import { type Progress, progressOf, visitOf, withVisit, type WorkflowContext } from '../context.ts';
import type { SharedBudget } from '../definition/budget.ts';
import {
  addCall,
  alertsDue,
  type BudgetVisit,
  countedBelow,
  exceededLimit,
  limitByWorkflow,
  limitRemaining,
  type RemainingBudget,
  type SharedCosts,
  shareOf,
  type Spending,
  consumptionOf,
  unlimited,
  withMarks,
} from '../flow/budget.ts';
import { type CallUsage, type Failure, sumOf, type VisitUsage } from '../flow/run.ts';
import {
  callKey,
  failureOf,
  type MachineParams,
  type StateAtWork,
  type WorkflowScope,
} from './state-at-work.ts';
import type { BehaviourPart } from './part.ts';
import { budgetOf } from './program.ts';

/*
 * Three counts: `used` of the visit is compared with the state's own budget, `usage` of the machine's progress is shown
 * in `$$` and in the output, and `spent` of the actor's context is compared with the workflow's budget. The actor of an
 * item knows what was used before it began (`before`), and its Map adds what the item has used when it ends. The gate
 * before a call is in `budget.ts`.
 */

/**
 * Counts the usage of calls. Then continues with `next`, unless a budget is exceeded. Emits the usage that an agent
 * reports itself; the host emits the usage that a port has counted.
 */
export function countUsage(
  state: StateAtWork,
  progress: Progress,
  calls: readonly (CallUsage | undefined)[],
  next: (counted: Progress) => Effects<WorkflowContext>,
): Effects<WorkflowContext> {
  const known = calls.filter((used) => used !== undefined);
  if (known.length === 0) {
    // Time passes even without usage.
    const failure = excess(state, progress, state.context.spent);
    return failure ? state.effects({ ...progress, failure }) : next(progress);
  }
  const { budget } = state;
  const spent = budget && spendingAfter(state, known);
  const counted = withUsage(progress, known);
  const failure = excess(state, counted, spent);
  const effects = failure ? state.effects({ ...counted, failure }) : next(counted);
  const events = usageEvents(state, known);
  const emit = effects.emit && effects.emit.length > 0 ? [...events, ...effects.emit] : events;
  if (!spent) return { ...effects, emit };
  const alerts = budget.Alerts.length > 0 ? newAlerts(state, spent) : [];
  return {
    ...effects,
    context: { ...effects.context, spent: markAlerts(spent, alerts) },
    emit:
      alerts.length > 0
        ? [...events, ...alertEvents(state, spent, alerts), ...(effects.emit ?? [])]
        : emit,
  };
}

function spendingAfter(state: StateAtWork, calls: readonly CallUsage[]): Spending | undefined {
  const { name, program, context } = state;
  const category = 'Budget' in program.state ? program.state.Budget?.Category : undefined;
  let { spent } = context;
  for (const used of calls) spent = addCall(spent, used, name, category);
  return spent;
}

function withUsage(progress: Progress, calls: readonly CallUsage[]): Progress {
  const usage = sumOf(progress.usage ? [progress.usage, ...calls] : calls)!;
  if (!progress.visit) return { ...progress, usage };
  const used = visitUsage(visitOf<BudgetVisit>(progress).used, calls);
  return { ...withVisit<BudgetVisit>(progress, { used }), usage };
}

function usageEvents(state: StateAtWork, calls: readonly CallUsage[]): EventObject[] {
  return calls.flatMap(({ isReportedByHost, tokens, cost, ...parts }) =>
    isReportedByHost
      ? []
      : [{ type: 'usage.recorded', ...state.where(), tokens, cost, ...tokenParts(tokens, parts) }],
  );
}

/** Input and output tokens, when the agent has reported them separately. */
function tokenParts(
  tokens: number,
  { inputTokens, outputTokens }: Pick<VisitUsage, 'inputTokens' | 'outputTokens'>,
) {
  if (inputTokens + outputTokens === 0) return {};
  const input = Math.min(inputTokens, tokens);
  return { inputTokens: input, outputTokens: tokens - input };
}

function visitUsage(before: VisitUsage | undefined, calls: readonly CallUsage[]): VisitUsage {
  let { tokens, cost, inputTokens, outputTokens } = before ?? unused;
  for (const used of calls) {
    tokens += used.tokens;
    cost += used.cost;
    inputTokens += used.inputTokens;
    outputTokens += used.outputTokens;
  }
  return { tokens, cost, inputTokens, outputTokens };
}

const unused: VisitUsage = { tokens: 0, cost: 0, inputTokens: 0, outputTokens: 0 };

/**
 * The remaining budget of the state and of the workflow for the next call. A host that runs another definition for the
 * call stops it at this limit. A workflow's budget limits the call only if it fails or pauses the run when it is used
 * up.
 */
export function remainingBudget(state: StateAtWork): Partial<RemainingBudget> | undefined {
  const { budget, context, progress, program } = state;
  let remaining = unlimited;
  if (budget && (budget.OnExceed === 'Fail' || budget.OnExceed === 'PauseAndNotify')) {
    const consumption = consumptionOf(context.before, context.spent);
    remaining = limitByWorkflow(remaining, budget, consumption);
  }
  const own = 'Budget' in program.state ? program.state.Budget : undefined;
  if (own) {
    remaining = limitRemaining(remaining, own, visitOf<BudgetVisit>(progress).used ?? unused);
  }
  const { tokens, cost } = remaining;
  if (tokens < Infinity) return cost < Infinity ? remaining : { tokens };
  return cost < Infinity ? { cost } : undefined;
}

/** The fields of an agent's call that the workflow decides: by its budget, and by its circuit breaker. */
export function budgetFields(state: StateAtWork): BudgetFields {
  const remaining = remainingBudget(state);
  const { model, quality } = visitOf<BudgetVisit>(state.progress).instead ?? {};
  return {
    ...state.circuit,
    ...(remaining && { left: remaining }),
    ...(model !== undefined && { model }),
    ...(quality !== undefined && { quality }),
  };
}

type BudgetFields = Pick<PortInput<'runAgent'>, 'circuit' | 'left' | 'model' | 'quality'>;

/** The failure when the state has exceeded its own budget, or a budget of the workflow that must not be exceeded. */
function excess(
  state: StateAtWork,
  progress: Progress,
  spent: Spending | undefined,
): Failure | undefined {
  const { budget, world, program } = state;
  const own = 'Budget' in program.state ? program.state.Budget : undefined;
  const { used = unused } = visitOf<BudgetVisit>(progress);
  const elapsed = own?.MaxDuration ? world.now() - progress.enteredAt : 0;
  const exceeded = own && exceededLimit(own, used, elapsed);
  if (exceeded !== undefined) return stateBudgetExceeded(state, exceeded);
  if (budget?.OnExceed !== 'Fail') return undefined;
  const consumption = consumptionOf(state.context.before, spent);
  if (shareOf(budget, consumption, state.elapsed()).budget <= 1) return undefined;
  return state.budgetFailure(consumption);
}

function stateBudgetExceeded({ name }: StateAtWork, limit: string): Failure {
  return { error: 'States.BudgetExceeded', cause: `The state "${name}" has used ${limit}.` };
}

/**
 * When a budget ends the work of the state, in milliseconds since 1970 UTC: the state's budget, or the workflow's if it
 * must not be exceeded. All attempts and the pauses between them count.
 */
export function durationEnd(state: StateAtWork, { enteredAt }: Progress): number {
  const { budget, context, program } = state;
  const own = 'Budget' in program.state ? program.state.Budget?.MaxDuration : undefined;
  const shared = budget?.OnExceed === 'Fail' ? budget.MaxDuration : undefined;
  return Math.min(
    enteredAt + (own ?? Infinity),
    context.execution.startedAt + (shared ?? Infinity),
  );
}

/** The failure of a state that has exceeded its duration. */
export function durationExceeded(state: StateAtWork, progress: Progress): Failure {
  const own = 'Budget' in state.program.state ? state.program.state.Budget?.MaxDuration : undefined;
  if (own !== undefined && durationEnd(state, progress) === progress.enteredAt + own) {
    return stateBudgetExceeded(state, `its ${own} milliseconds`);
  }
  return state.budgetFailure(consumptionOf(state.context.before, state.context.spent));
}

/**
 * The alerts that are due and were not emitted. The actor of an item does not emit alerts that were due before it
 * began: the actor that reached the threshold emitted them, or the Map emits them at its end.
 */
function newAlerts(state: StateAtWork, spent: Spending): readonly number[] {
  const budget = state.budget!;
  const { before } = state.context;
  const consumption = consumptionOf(before, spent);
  const known = new Set([
    ...consumption.marks.alerts,
    ...(before ? alertsDue(budget, shareOf(budget, before, 0)) : []),
  ]);
  const due = alertsDue(budget, shareOf(budget, consumption, state.elapsed()));
  return due.filter((alert) => !known.has(alert));
}

function alertEvents(
  state: StateAtWork,
  spent: Spending,
  alerts: readonly number[],
): EventObject[] {
  const { tokens, cost } = consumptionOf(state.context.before, spent);
  return alerts.map((alert) => {
    const { authored } = state.budget!.Alerts[alert]!;
    return {
      type: 'budget.alert',
      ...state.where(),
      at: authored['At'],
      ...lowerCased(authored, ['Notify', 'Channel', 'Message', 'Priority']),
      tokens,
      cost,
    };
  });
}

function lowerCased(authored: Readonly<Record<string, unknown>>, fields: readonly string[]) {
  return Object.fromEntries(
    fields
      .filter((field) => Object.hasOwn(authored, field))
      .map((field) => [field.toLowerCase(), authored[field]]),
  );
}

function markAlerts(spent: Spending, alerts: readonly number[]): Spending {
  return alerts.length > 0
    ? withMarks(spent, { alerts: [...spent.marks.alerts, ...alerts] })
    : spent;
}

/** Marks and emits the alerts that only the sum of all items has reached. */
export function emitAlertsOfItems(
  state: StateAtWork,
  spent: Spending | undefined,
): { readonly spent?: Spending; readonly emit: readonly EventObject[] } {
  if (!state.budget || !spent) return { emit: [] };
  const alerts = newAlerts(state, spent);
  return { spent: markAlerts(spent, alerts), emit: alertEvents(state, spent, alerts) };
}

/*
 * A budget that several runs share is counted by the port `countSpending`: before each call, after each state that has
 * spent something, and at the end of the workflow. The context owns the cost that is not counted yet
 * (`spent.uncounted`). The visit owns the cost that the port is counting (`counting`), so that no other branch counts it again.
 * A nested definition counts its own cost, so the call says which part of the cost an account has already.
 */

export interface CountParams extends MachineParams {
  /** Id of the node with the workflow's budget. */
  readonly root: string;
}

type CountAction<Event = unknown> = Action<WorkflowContext, Event, CountParams>;

const hasUncounted: Guard<WorkflowContext, unknown, MachineParams> = ({ context }) =>
  (context.spent?.uncounted ?? 0) > 0;

/** Takes all cost that is not counted yet. */
const beginCount: CountAction = ({ context }, { machine }) => {
  const spent = withMarks(context.spent, {});
  const { uncounted = 0, counts = 0, countedBelow: below, ...rest } = spent;
  return changed(
    machine,
    withVisit<BudgetVisit>(progressOf(context, machine), {
      counting: uncounted,
      ...(below && { countingBelow: below }),
    }),
    { ...rest, uncounted: 0, counts: counts + 1 },
  );
};

const spendingCall = (
  scope: WorkflowScope,
  { machine, root }: CountParams,
): PortInput<'countSpending'> => {
  const { context } = scope;
  const { counting = 0, countingBelow: below = {} } = visitOf<BudgetVisit>(
    progressOf(context, machine),
  );
  const accounts = accountsOf(budgetOf(scope, root)!.Shared!);
  return {
    key: callKey(context, machine, `spending/${context.spent?.counts ?? 0}`),
    cost: counting,
    accounts: accounts.map((account) => {
      const counted = below[accountName(account)];
      return counted === undefined ? account : { ...account, counted };
    }),
  };
};

function accountsOf({ Workflow: workflow, Windows: windows, Pool: pool }: SharedBudget) {
  return [
    ...windows.map(({ within }) => ({ workflow, within })),
    ...(pool === undefined ? [] : [{ pool }]),
  ];
}

export interface Counted {
  readonly output: PortOutput<'countSpending'>;
}

const takeSpending: CountAction<Counted> = (scope, { machine, root }) => {
  const { context, event } = scope;
  const { accounts } = event.output;
  const { Windows: windows, Pool: pool } = budgetOf(scope, root)!.Shared!;
  const { cost = 0, limit = Infinity } = accounts[windows.length] ?? {};
  const shared: SharedCosts = {
    windows: windows.map((_, index) => accounts[index]?.cost ?? Infinity),
    ...(pool !== undefined && { pool: { cost, limit } }),
  };
  const progress = withVisit<BudgetVisit>(progressOf(context, machine), {
    counting: undefined,
    countingBelow: undefined,
  });
  return changed(machine, progress, { ...withMarks(context.spent, {}), shared });
};

/** Keeps the cost, to be counted later. */
const keepUncounted: CountAction = ({ context }, { machine }) => {
  const { progress, spent } = restored(context, machine);
  return changed(machine, progress, spent);
};

/** A limit that cannot be counted could not be enforced, so the state fails. */
const countFailed: CountAction<{ error: unknown }> = ({ context, event }, { machine }) => {
  const { progress, spent } = restored(context, machine);
  const { error, cause } = failureOf(event.error);
  const failure = { error: 'States.BudgetNotCounted', cause: cause ?? error };
  return changed(machine, { ...progress, failure }, spent);
};

function restored(context: WorkflowContext, machine: string) {
  const progress = progressOf(context, machine);
  const { counting = 0, countingBelow: below } = visitOf<BudgetVisit>(progress);
  const spent = withMarks(context.spent, {});
  return {
    progress: withVisit<BudgetVisit>(progress, { counting: undefined, countingBelow: undefined }),
    spent: {
      ...spent,
      uncounted: (spent.uncounted ?? 0) + counting,
      ...countedBelow(spent, below),
    },
  };
}

function changed(machine: string, progress: Progress, spent: Spending): Effects<WorkflowContext> {
  return { context: { [machine]: progress, spent } };
}

export const sharedSpendingBehaviour = {
  guards: { hasUncounted },
  actions: { beginCount, takeSpending, keepUncounted, countFailed },
  inputs: { spendingCall },
} satisfies BehaviourPart;
