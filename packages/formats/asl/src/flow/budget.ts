import type { JsonObject } from '@dramaturg/compiler';
import { type CountedCost, sumOfCounted } from '@dramaturg/compiler/machine';
import type { Fallback, Limits, StateBudget, WorkflowBudget } from '../definition/budget.ts';
import type { CallUsage, Usage, VisitUsage } from './run.ts';

/** The usage of an actor's agents: in total, by state, by category and by model. */
export interface Spending extends Usage {
  readonly byState: Readonly<Record<string, Usage>>;
  readonly byCategory: Readonly<Record<string, Usage>>;
  readonly byModel: Readonly<Record<string, Usage>>;
  readonly marks: Marks;
  readonly shared?: SharedCosts;
  /** The cost that no port has counted yet. */
  readonly uncounted?: number;
  /** The part of this cost that nested definitions have counted, by the names of accounts. */
  readonly countedBelow?: CountedCost;
  /** How often a port was asked to count. */
  readonly counts?: number;
}

/** The cost of all runs that share a budget, when a port was last asked. */
export interface SharedCosts {
  /** In the order of the windows. */
  readonly windows: readonly number[];
  readonly pool?: { readonly cost: number; readonly limit: number };
}

/** Budget events that were already emitted, and grants. */
interface Marks {
  /** The indexes of the alerts that were emitted. */
  readonly alerts: readonly number[];
  /** How often a person has granted the budget again. */
  readonly grants: number;
  /** `budget.exceeded` was emitted. */
  readonly exceeded?: true;
  /** The last step of the cascade that was emitted, from 1. */
  readonly fallback?: number;
}

/** The slice of the context that a workflow's budget owns. All branches share it. */
export interface BudgetContext {
  /** Used by this actor. */
  readonly spent?: Spending;
  /** Used by the workflow before the actor of an item began. */
  readonly before?: Consumption;
}

/** The slice of the visit that budgets own. Of these, only `used` and `timesAsked` outlast a retry. */
export interface BudgetVisit {
  /** Used during the visit, in all attempts together. */
  readonly used: VisitUsage;
  /** Replaces parts of the next call, as the cascade of the budget says. */
  readonly instead: Replacement;
  /** How often a person was asked for more. */
  readonly timesAsked: number;
  /** The next call waits for a person or for a timer; or that wait is over. */
  readonly held: 'asks' | 'granted' | 'waits' | 'has waited';
  /** Milliseconds since 1970 UTC: the end of the wait. */
  readonly heldUntil: number;
  /** The cost that a port is asked to count. */
  readonly counting: number;
  /** The part of this cost that nested definitions have counted, by the names of accounts. */
  readonly countingBelow: CountedCost;
}

interface Replacement {
  readonly agent?: string;
  readonly model?: string;
  /** A cheaper result will do. */
  readonly quality?: 'reduced';
}

/** The usage of all actors that share a budget, as far as one actor knows it. */
export interface Consumption extends Usage {
  readonly marks: Marks;
  /** The shared costs, with the cost that no port has counted yet. */
  readonly shared?: SharedCosts;
}

const nothing: Spending = {
  tokens: 0,
  cost: 0,
  byState: {},
  byCategory: {},
  byModel: {},
  marks: { alerts: [], grants: 0 },
};

/** Adds the usage of a call. */
export function addCall(
  spending: Spending | undefined,
  used: CallUsage,
  state: string,
  category: string | undefined,
): Spending {
  const before = spending ?? nothing;
  return {
    ...before,
    ...sum(before, used),
    uncounted: (before.uncounted ?? 0) + used.cost,
    ...countedBelow(before, used.counted),
    byState: addTo(before.byState, state, used),
    byCategory:
      category === undefined ? before.byCategory : addTo(before.byCategory, category, used),
    byModel: used.model === undefined ? before.byModel : addTo(before.byModel, used.model, used),
  };
}

/** Adds the spending of another actor. */
export function mergeSpending(spending: Spending | undefined, other: Spending): Spending {
  const before = spending ?? nothing;
  const merged = (part: 'byState' | 'byCategory' | 'byModel') =>
    Object.entries(other[part]).reduce(
      (totals, [name, usage]) => addTo(totals, name, usage),
      before[part],
    );
  const uncounted = (before.uncounted ?? 0) + (other.uncounted ?? 0);
  return {
    ...before,
    ...sum(before, other),
    uncounted,
    ...countedBelow(before, other.countedBelow),
    byState: merged('byState'),
    byCategory: merged('byCategory'),
    byModel: merged('byModel'),
    marks: latest(before.marks, other.marks),
  };
}

/** Adds cost that nested definitions have counted. */
export function countedBelow(
  { countedBelow: before }: Spending,
  more: CountedCost | undefined,
): Pick<Spending, 'countedBelow'> {
  return more ? { countedBelow: sumOfCounted(before, more) } : {};
}

export function withMarks(spending: Spending | undefined, marks: Partial<Marks>): Spending {
  const before = spending ?? nothing;
  return { ...before, marks: { ...before.marks, ...marks } };
}

function addTo(
  totals: Readonly<Record<string, Usage>>,
  name: string,
  usage: Usage,
): Readonly<Record<string, Usage>> {
  const before = Object.hasOwn(totals, name) ? totals[name]! : nothing;
  return { ...totals, [name]: sum(before, usage) };
}

function sum(a: Usage, b: Usage): Usage {
  return { tokens: a.tokens + b.tokens, cost: a.cost + b.cost };
}

function latest(a: Marks, b: Marks): Marks {
  const fallback = Math.max(a.fallback ?? 0, b.fallback ?? 0);
  return {
    alerts: [...new Set([...a.alerts, ...b.alerts])],
    grants: Math.max(a.grants, b.grants),
    ...((a.exceeded ?? b.exceeded) && { exceeded: true }),
    ...(fallback > 0 && { fallback }),
  };
}

/** The usage before an actor began, plus its own. */
export function consumptionOf(
  before: Consumption | undefined,
  spending: Spending | undefined,
): Consumption {
  const own = spending ?? nothing;
  const known = own.shared ?? before?.shared;
  const shared = known && { shared: withCost(known, own.uncounted ?? 0) };
  return before
    ? { ...sum(before, own), marks: latest(before.marks, own.marks), ...shared }
    : { tokens: own.tokens, cost: own.cost, marks: own.marks, ...shared };
}

function withCost({ windows, pool }: SharedCosts, cost: number): SharedCosts {
  return {
    windows: windows.map((spent) => spent + cost),
    ...(pool && { pool: { ...pool, cost: pool.cost + cost } }),
  };
}

/** The limits of a budget on cost, and the cost spent of each. For people: `3.00 of 10.00 USD in an hour`. */
function costLimits(
  { MaxCost, Shared: limits, Currency }: WorkflowBudget,
  consumption: Consumption,
) {
  const { cost, shared } = consumption;
  const limited = (most: number | undefined, spent: number, where: string) =>
    most === undefined ? [] : [{ most, spent, unit: `${Currency}${where}` }];
  return [
    ...limited(MaxCost, cost, ''),
    ...(limits?.Windows ?? []).flatMap(({ MaxCost: most, name }, index) =>
      limited(most, shared?.windows[index] ?? 0, ` in this ${name}`),
    ),
    ...limited(limits?.MaxFromPool, cost, ` from the pool "${limits?.Pool}"`),
    ...limited(shared?.pool?.limit, shared?.pool?.cost ?? 0, ` in the pool "${limits?.Pool}"`),
  ];
}

/** Whether a window is used up, so that only time frees budget. A waiting call asks again. */
export function isWindowUsedUp(
  { Shared: limits }: WorkflowBudget,
  { shared, marks }: Consumption,
): boolean {
  return (limits?.Windows ?? []).some(
    ({ MaxCost: most }, index) => (shared?.windows[index] ?? 0) >= most * (1 + marks.grants),
  );
}

/** How much of a budget is used; 1 is all of it. */
interface BudgetShare {
  /** The share of the nearest limit. */
  readonly budget: number;
  readonly tokens: number;
}

/** @param elapsed milliseconds since the workflow began */
export function shareOf(
  budget: WorkflowBudget,
  consumption: Consumption,
  elapsed: number,
): BudgetShare {
  const { tokens, marks } = consumption;
  const part = (used: number, most: number | undefined) => {
    if (most === undefined) return 0;
    // An empty pool is used up.
    return most === 0 ? 1 : used / (most * (1 + marks.grants));
  };
  const ofTokens = part(tokens, budget.MaxTokens);
  const ofCosts = costLimits(budget, consumption).map(({ spent, most }) => part(spent, most));
  return {
    tokens: ofTokens,
    budget: Math.max(ofTokens, part(elapsed, budget.MaxDuration), ...ofCosts),
  };
}

/** The usage that a call may still add; infinite without a limit. */
export interface RemainingBudget {
  readonly tokens: number;
  readonly cost: number;
}

export const unlimited: RemainingBudget = { tokens: Infinity, cost: Infinity };

/** Lowers the remaining budget to what these limits leave. */
export function limitRemaining(
  remaining: RemainingBudget,
  { MaxTokens = Infinity, MaxCost = Infinity }: Partial<Pick<Limits, 'MaxTokens' | 'MaxCost'>>,
  { tokens, cost }: Usage,
  grants = 0,
): RemainingBudget {
  return {
    tokens: Math.max(0, Math.min(remaining.tokens, MaxTokens * (1 + grants) - tokens)),
    cost: Math.max(0, Math.min(remaining.cost, MaxCost * (1 + grants) - cost)),
  };
}

/** Lowers the remaining budget to what all limits of a workflow leave. */
export function limitByWorkflow(
  remaining: RemainingBudget,
  budget: WorkflowBudget,
  consumption: Consumption,
): RemainingBudget {
  const { grants } = consumption.marks;
  const byTokens = limitRemaining(remaining, { MaxTokens: budget.MaxTokens }, consumption, grants);
  return costLimits(budget, consumption).reduce(
    (left, { most, spent }) =>
      limitRemaining(left, { MaxCost: most }, { tokens: 0, cost: spent }, grants),
    byTokens,
  );
}

/** The indexes of the alerts that are due. */
export function alertsDue(
  { Alerts: alerts }: WorkflowBudget,
  share: BudgetShare,
): readonly number[] {
  return alerts.flatMap(({ at }, index) => (share.budget >= at ? [index] : []));
}

/** The last step of the cascade that is reached. It replaces the planned call. */
export function fallbackAt(
  { OnExceed, Fallbacks: steps }: WorkflowBudget,
  share: BudgetShare,
): Fallback | undefined {
  if (OnExceed !== 'UseFallback') return undefined;
  return steps.findLast(({ of, at }) => share[of] >= at);
}

/** For people: `12.50 of 10.00 USD, 900 of 1000 tokens`. */
export function describeConsumption(budget: WorkflowBudget, consumption: Consumption): string {
  const { MaxTokens } = budget;
  const { tokens, marks } = consumption;
  const times = 1 + marks.grants;
  const parts = [
    ...costLimits(budget, consumption).map(
      ({ spent, most, unit }) => `${spent.toFixed(2)} of ${(most * times).toFixed(2)} ${unit}`,
    ),
    ...(MaxTokens === undefined ? [] : [`${tokens} of ${MaxTokens * times} tokens`]),
  ];
  return parts.length > 0 ? parts.join(', ') : 'its time';
}

/** The limit of a state's own budget that its visit has exceeded; undefined when none. */
export function exceededLimit(
  budget: StateBudget,
  used: VisitUsage,
  elapsed: number,
): string | undefined {
  const exceeded = (amount: number, most: number | undefined, of: string) =>
    most !== undefined && amount > most ? `${amount} of ${most} ${of}` : undefined;
  return (
    exceeded(used.tokens, budget.MaxTokens, 'tokens') ??
    exceeded(used.inputTokens, budget.MaxInputTokens, 'input tokens') ??
    exceeded(used.outputTokens, budget.MaxOutputTokens, 'output tokens') ??
    exceeded(used.cost, budget.MaxCost, 'in money') ??
    exceeded(elapsed, budget.MaxDuration, 'milliseconds')
  );
}

/** The costs in the output of a workflow. Agent 7 §Report */
export function reportOf({ tokens, cost, byState, byCategory, byModel }: Spending): JsonObject {
  return { total: { tokens, cost }, byState, byCategory, byModel } as unknown as JsonObject;
}
