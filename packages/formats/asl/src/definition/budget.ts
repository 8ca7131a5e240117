import type { JsonObject } from '@dramaturg/compiler';
import * as z from 'zod';
import { isHole, number, text } from './field.ts';

const positive = number('a number above 0', { type: 'number', exclusiveMinimum: 0 });

/** `"$5.00"`: an amount with its currency, or a number. Agent 7 §Budget */
const money = z
  .custom<number | string>(
    (value) =>
      typeof value === 'number' ? value > 0 : isHole(value) || (parseMoney(value) ?? 0) > 0,
    'an amount of money above 0, such as "$5.00"',
  )
  .meta({ jsonSchema: { type: ['number', 'string'], exclusiveMinimum: 0, examples: ['$5.00'] } });

/** A threshold: `"50%"`. Agent 7 §Alerts */
const part = z
  .custom<string>(
    (value) => isHole(value) || parsePart(value) !== undefined,
    'a part of the budget, such as "50%"',
  )
  .meta({ jsonSchema: { type: 'string', examples: ['50%'] } });

const when = z
  .custom<string>(
    (value) => isHole(value) || parseWhen(value) !== undefined,
    '"Always", or a threshold such as "BudgetAt80Percent" or "TokensAt80Percent"',
  )
  .meta({
    jsonSchema: { type: 'string', examples: ['Always', 'BudgetAt80Percent', 'TokensAt80Percent'] },
  });

const limits = {
  /** Agent 7 §Budget */
  MaxTokens: positive.optional().describe('The most tokens of input and output together.'),
  /** Agent 7 §Budget */
  MaxCost: money.optional().describe('The highest cost, such as `"$5.00"`.'),
  MaxDuration: text.optional().describe('How long it may take, such as `10m`.'),
};

/** Agent 7 §State budget */
export const stateBudget = z.object({
  ...limits,
  MaxInputTokens: positive.optional().describe('The most tokens of input.'),
  MaxOutputTokens: positive.optional().describe('The most tokens of output.'),
  Category: text.optional().describe('The category of the state in the cost report.'),
  Priority: z
    .enum(['critical', 'high', 'normal', 'low', 'background'])
    .optional()
    .describe('How urgent it is.'),
  Tags: z.unknown().optional().describe('Has no effect yet.'),
  Attribution: z.unknown().optional().describe('Has no effect yet.'),
});

/** Agent 7 §Fallback */
export const fallbackStep = z.object({
  When: when.optional().describe('The threshold, such as `BudgetAt80Percent`.'),
  UseModel: text.optional().describe('The model from then on.'),
  Agent: text.optional().describe('The agent from then on.'),
  Action: z.enum(['PauseAndNotify', 'ReduceQuality']).optional().describe('What is done.'),
  Notify: z.unknown().optional().describe('Who is notified.'),
});

/** Agent 7 §Fallback */
export const fallback = fallbackStep.extend({
  Cascade: z.array(fallbackStep).optional().describe('Steps, each with its threshold.'),
});

/** Agent 7 §Alerts */
export const alert = z.object({
  At: part.describe('The threshold, such as `"50%"`.'),
  Notify: z.unknown().optional().describe('Who is notified.'),
  Channel: z.unknown().optional().describe('Where the alert is sent.'),
  Message: text.optional().describe('The text of the alert.'),
  Priority: text.optional().describe('How urgent it is.'),
});

const onExceed = ['Fail', 'PauseAndNotify', 'UseFallback', 'Continue', 'Throttle'] as const;

/** Agent 7 §Workflow budget */
export const workflowBudget = z.object({
  ...limits,
  Currency: text.optional().describe('The currency of amounts; `USD` when left out.'),
  OnExceed: z
    .enum(onExceed)
    .optional()
    .describe('What happens when it is used up; `Fail` when left out.'),
  Fallback: fallback.optional().describe('What changes when the budget runs low.'),
  Alerts: z.array(alert).optional().describe('Notifications when a part of the budget is used.'),
  ThrottleDelay: text
    .optional()
    .describe('How long a call waits once the budget is used up, such as `30s`.'),
  Notify: z.unknown().optional().describe('Who is notified.'),
  MaxCostPerHour: money.optional().describe('The highest cost of all runs in an hour.'),
  MaxCostPerDay: money.optional().describe('The highest cost of all runs in a day.'),
  Pool: text.optional().describe('The budget that several workflows share.'),
  MaxFromPool: money.optional().describe('The most that one run may take from the pool.'),
  ReleaseOnComplete: z.boolean().optional().describe('Has no effect yet.'),
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
