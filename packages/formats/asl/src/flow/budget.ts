import type { JsonObject } from '@dramaturg/compiler';
import type { Fallback, Limits, StateBudget, WorkflowBudget } from '../definition/budget.ts';
import type { Usage, Used } from './usage.ts';

/** What the agents of an actor have used, in all and by what used it. */
export interface Spending extends Usage {
  readonly byState: Readonly<Record<string, Usage>>;
  readonly byCategory: Readonly<Record<string, Usage>>;
  readonly byModel: Readonly<Record<string, Usage>>;
  readonly marks: Marks;
}

/** What was already done about a budget. */
interface Marks {
  /** Which of its alerts were told. */
  readonly alerts: readonly number[];
  /** How often somebody has given as much again. */
  readonly grants: number;
  /** That it is used up was told. */
  readonly exceeded?: true;
  /** The latest step of the cascade that was told, from 1. */
  readonly fallback?: number;
}

/** What was used by all who share a budget, as far as one of them knows. */
export interface Standing extends Usage {
  readonly marks: Marks;
}

const nothing: Spending = {
  tokens: 0,
  cost: 0,
  byState: {},
  byCategory: {},
  byModel: {},
  marks: { alerts: [], grants: 0 },
};

/** Adds what a call has used. */
export function spendingAfter(
  spending: Spending | undefined,
  used: Used,
  state: string,
  category: string | undefined,
): Spending {
  const before = spending ?? nothing;
  return {
    ...added(before, used),
    byState: filed(before.byState, state, used),
    byCategory:
      category === undefined ? before.byCategory : filed(before.byCategory, category, used),
    byModel: used.model === undefined ? before.byModel : filed(before.byModel, used.model, used),
    marks: before.marks,
  };
}

/** Adds what another actor has used. */
export function joined(spending: Spending | undefined, other: Spending): Spending {
  const before = spending ?? nothing;
  const merged = (part: 'byState' | 'byCategory' | 'byModel') =>
    Object.entries(other[part]).reduce(
      (files, [name, usage]) => filed(files, name, usage),
      before[part],
    );
  return {
    ...added(before, other),
    byState: merged('byState'),
    byCategory: merged('byCategory'),
    byModel: merged('byModel'),
    marks: latest(before.marks, other.marks),
  };
}

export function withMarks(spending: Spending | undefined, marks: Partial<Marks>): Spending {
  const before = spending ?? nothing;
  return { ...before, marks: { ...before.marks, ...marks } };
}

function filed(
  files: Readonly<Record<string, Usage>>,
  name: string,
  usage: Usage,
): Readonly<Record<string, Usage>> {
  const before = Object.hasOwn(files, name) ? files[name]! : nothing;
  return { ...files, [name]: added(before, usage) };
}

function added(a: Usage, b: Usage): Usage {
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

/** What an actor knows of what was used: before it began, and by itself. */
export function standingOf(before: Standing | undefined, spending: Spending | undefined): Standing {
  const own = spending ?? nothing;
  return before
    ? { ...added(before, own), marks: latest(before.marks, own.marks) }
    : { tokens: own.tokens, cost: own.cost, marks: own.marks };
}

/** How much of a budget is used, 1 being all of it. */
export interface Share {
  /** Of the limit that is nearest. */
  readonly budget: number;
  readonly tokens: number;
}

/** @param elapsed milliseconds since the workflow began */
export function shareOf(
  { MaxTokens, MaxCost, MaxDuration }: Limits,
  { tokens, cost, marks: { grants } }: Standing,
  elapsed: number,
): Share {
  const part = (used: number, most: number | undefined) =>
    most === undefined ? 0 : used / (most * (1 + grants));
  const ofTokens = part(tokens, MaxTokens);
  return {
    tokens: ofTokens,
    budget: Math.max(ofTokens, part(cost, MaxCost), part(elapsed, MaxDuration)),
  };
}

/** What may still be used; infinite where nothing limits it. */
export interface Left {
  readonly tokens: number;
  readonly cost: number;
}

export const unlimited: Left = { tokens: Infinity, cost: Infinity };

/** What a budget leaves, and not more than was left before. */
export function leftOf(
  left: Left,
  { MaxTokens = Infinity, MaxCost = Infinity }: Pick<Limits, 'MaxTokens' | 'MaxCost'>,
  { tokens, cost }: Usage,
  grants = 0,
): Left {
  return {
    tokens: Math.max(0, Math.min(left.tokens, MaxTokens * (1 + grants) - tokens)),
    cost: Math.max(0, Math.min(left.cost, MaxCost * (1 + grants) - cost)),
  };
}

/** The alerts that are due, by their places in the list. */
export function alertsDue({ Alerts: alerts }: WorkflowBudget, share: Share): readonly number[] {
  return alerts.flatMap(({ at }, index) => (share.budget >= at ? [index] : []));
}

/** What is to be done in place of the call that was planned: the last step of the cascade that is reached. */
export function fallbackAt(
  { OnExceed, Fallbacks: steps }: WorkflowBudget,
  share: Share,
): Fallback | undefined {
  if (OnExceed !== 'UseFallback') return undefined;
  return steps.findLast(({ of, at }) => share[of] >= at);
}

/** In an author's words: `12.50 of 10.00 USD, 900 of 1000 tokens`. */
export function describe(budget: WorkflowBudget, { tokens, cost, marks }: Standing): string {
  const { MaxCost, MaxTokens, Currency } = budget;
  const times = 1 + marks.grants;
  const parts = [
    ...(MaxCost === undefined
      ? []
      : [`${cost.toFixed(2)} of ${(MaxCost * times).toFixed(2)} ${Currency}`]),
    ...(MaxTokens === undefined ? [] : [`${tokens} of ${MaxTokens * times} tokens`]),
  ];
  return parts.length > 0 ? parts.join(', ') : 'its time';
}

/** Which limit of a state's own budget its visit has passed; undefined when none. */
export function passedLimit(
  budget: StateBudget,
  used: Omit<Used, 'isToldElsewhere' | 'model'>,
  elapsed: number,
): string | undefined {
  const passed = (amount: number, most: number | undefined, of: string) =>
    most !== undefined && amount > most ? `${amount} of ${most} ${of}` : undefined;
  return (
    passed(used.tokens, budget.MaxTokens, 'tokens') ??
    passed(used.inputTokens, budget.MaxInputTokens, 'input tokens') ??
    passed(used.outputTokens, budget.MaxOutputTokens, 'output tokens') ??
    passed(used.cost, budget.MaxCost, 'in money') ??
    passed(elapsed, budget.MaxDuration, 'milliseconds')
  );
}

/** What the output of a workflow says of its costs. Agent 7 §Report */
export function reportOf({ tokens, cost, byState, byCategory, byModel }: Spending): JsonObject {
  return { total: { tokens, cost }, byState, byCategory, byModel } as unknown as JsonObject;
}
