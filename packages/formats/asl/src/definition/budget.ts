import type { JsonObject } from '@dramaturg/compiler';
import * as z from 'zod';
import { isHole, number, text } from './field.ts';

const positive = number('a number above 0', (value) => value > 0);

/** `"$5.00"`: an amount with its currency, or a number. Agent 7 §Budget */
const money = z.custom<number | string>(
  (value) =>
    typeof value === 'number' ? value > 0 : isHole(value) || (parseMoney(value) ?? 0) > 0,
  'an amount of money above 0, such as "$5.00"',
);

/** A threshold: `"50%"`. Agent 7 §Alerts */
const part = z.custom<string>(
  (value) => isHole(value) || parsePart(value) !== undefined,
  'a part of the budget, such as "50%"',
);

const when = z.custom<string>(
  (value) => isHole(value) || parseWhen(value) !== undefined,
  '"Always", or a threshold such as "BudgetAt80Percent" or "TokensAt80Percent"',
);

const limits = {
  /** Of input and output. Agent 7 §Budget */
  MaxTokens: positive.optional(),
  /** Agent 7 §Budget */
  MaxCost: money.optional(),
  /** How long it may take, such as `10m`. Ours. */
  MaxDuration: text.optional(),
};

/** Agent 7 §State budget */
export const stateBudget = z.object({
  ...limits,
  MaxInputTokens: positive.optional(),
  MaxOutputTokens: positive.optional(),
  /** The category of the state in the cost report. */
  Category: text.optional(),
  Priority: z.enum(['critical', 'high', 'normal', 'low', 'background']).optional(),
  Tags: z.unknown().optional(),
  Attribution: z.unknown().optional(),
});

/** Agent 7 §Fallback */
export const fallbackStep = z.object({
  When: when.optional(),
  UseModel: text.optional(),
  Agent: text.optional(),
  Action: z.enum(['PauseAndNotify', 'ReduceQuality']).optional(),
  Notify: z.unknown().optional(),
});

/** Agent 7 §Fallback */
export const fallback = fallbackStep.extend({ Cascade: z.array(fallbackStep).optional() });

/** Agent 7 §Alerts */
export const alert = z.object({
  At: part,
  Notify: z.unknown().optional(),
  Channel: z.unknown().optional(),
  Message: text.optional(),
  Priority: text.optional(),
});

const onExceed = ['Fail', 'PauseAndNotify', 'UseFallback', 'Continue', 'Throttle'] as const;

/** Agent 7 §Workflow budget */
export const workflowBudget = z.object({
  ...limits,
  /** The currency of amounts; `USD` when left out. */
  Currency: text.optional(),
  /** What happens when it is used up; `Fail` when left out. */
  OnExceed: z.enum(onExceed).optional(),
  Fallback: fallback.optional(),
  Alerts: z.array(alert).optional(),
  /** How long a call waits once the budget is used up, such as `30s`. */
  ThrottleDelay: text.optional(),
  Notify: z.unknown().optional(),
  MaxCostPerHour: money.optional(),
  MaxCostPerDay: money.optional(),
  Pool: text.optional(),
  MaxFromPool: money.optional(),
  ReleaseOnComplete: z.boolean().optional(),
});

export type OnExceed = (typeof onExceed)[number];

/** Limits on usage; undefined means unlimited. */
export interface Limits {
  readonly MaxTokens: number | undefined;
  readonly MaxCost: number | undefined;
  /** Milliseconds. */
  readonly MaxDuration: number | undefined;
}

export interface StateBudget extends Limits {
  readonly MaxInputTokens: number | undefined;
  readonly MaxOutputTokens: number | undefined;
  readonly Category: string | undefined;
}

export interface WorkflowBudget extends Limits {
  readonly Currency: string;
  readonly OnExceed: OnExceed;
  /** From the lowest threshold to the highest. */
  readonly Fallbacks: readonly Fallback[];
  /** From the lowest threshold to the highest. */
  readonly Alerts: readonly Alert[];
  /** Milliseconds. */
  readonly ThrottleDelay: number;
  /** What limits the cost of several runs; undefined when the budget is that of one run only. */
  readonly Shared: SharedBudget | undefined;
}

/** Limits on the cost of several runs, which a port counts. */
export interface SharedBudget {
  /** Names the workflow among others. */
  readonly Workflow: string;
  /** Limits on all runs of the workflow. */
  readonly Windows: readonly CostWindow[];
  readonly Pool: string | undefined;
  /** The most that one run may take from the pool. */
  readonly MaxFromPool: number | undefined;
}

interface CostWindow {
  readonly MaxCost: number;
  /** Milliseconds. */
  readonly within: number;
  /** For people: `hour`. */
  readonly name: string;
}

/** The field of a budget in a chart that names the workflow: no author can write it. */
export const workflowName = '%workflow';

export interface Fallback {
  /** Which limit is measured: the whole budget, or its tokens only. */
  readonly of: 'budget' | 'tokens';
  /** From 0 to 1. */
  readonly at: number;
  readonly model: string | undefined;
  readonly agent: string | undefined;
  readonly action: 'PauseAndNotify' | 'ReduceQuality' | undefined;
  /** As authored. */
  readonly authored: JsonObject;
}

export interface Alert {
  /** From 0 to 1. */
  readonly at: number;
  /** As authored. */
  readonly authored: JsonObject;
}

/** `$5.00`, `5 EUR`, `€ 1,200.50`; undefined for a text that is not an amount. */
export function parseMoney(written: unknown): number | undefined {
  if (typeof written === 'number') return written;
  if (typeof written !== 'string') return undefined;
  const amount = /^\s*[^\d.,-]{0,4}\s*(\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?)\s*[^\d.,-]{0,4}\s*$/.exec(
    written,
  )?.[1];
  return amount === undefined ? undefined : Number(amount.replaceAll(',', ''));
}

/** `"50%"` is 0.5. */
export function parsePart(written: unknown): number | undefined {
  if (typeof written !== 'string') return undefined;
  const percent = /^\s*(\d{1,3}(?:\.\d{1,6})?)\s*%\s*$/.exec(written)?.[1];
  return percent === undefined ? undefined : Number(percent) / 100;
}

/** `BudgetAt70Percent`. Agent 7 §Fallback */
export function parseWhen(written: unknown): Pick<Fallback, 'of' | 'at'> | undefined {
  if (written === undefined || written === 'Always') return { of: 'budget', at: 0 };
  if (typeof written !== 'string') return undefined;
  const found = /^(Budget|Tokens)At(\d{1,3})Percent$/.exec(written);
  return found
    ? { of: found[1] === 'Tokens' ? 'tokens' : 'budget', at: Number(found[2]) / 100 }
    : undefined;
}
