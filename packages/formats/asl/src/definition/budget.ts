import { isRecord, type JsonObject } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import { parseDuration } from '../data/timestamp.ts';
import { asRecord, optionalNumber, optionalObject, optionalString } from '../normalise/fields.ts';
import { isHole, number, optional, described, text } from './field.ts';

const positive = number('a number above 0', { type: 'number', exclusiveMinimum: 0 });

/** `"$5.00"`: an amount with its currency, or a number. Agent 7 §Budget */
const money = z
  .custom<number | string>(
    (value) =>
      typeof value === 'number' ? value > 0 : isHole(value) || (parseMoney(value) ?? 0) > 0,
    'an amount of money above 0, such as "$5.00"',
  )
  .check(
    z.meta({
      jsonSchema: { type: ['number', 'string'], exclusiveMinimum: 0, examples: ['$5.00'] },
    }),
  );

/** A threshold: `"50%"`. Agent 7 §Alerts */
const part = z
  .custom<string>(
    (value) => isHole(value) || parsePart(value) !== undefined,
    'a part of the budget, such as "50%"',
  )
  .check(z.meta({ jsonSchema: { type: 'string', examples: ['50%'] } }));

const when = z
  .custom<string>(
    (value) => isHole(value) || parseWhen(value) !== undefined,
    '"Always", or a threshold such as "BudgetAt80Percent" or "TokensAt80Percent"',
  )
  .check(
    z.meta({
      jsonSchema: {
        type: 'string',
        examples: ['Always', 'BudgetAt80Percent', 'TokensAt80Percent'],
      },
    }),
  );

const limits = {
  /** Agent 7 §Budget */
  MaxTokens: optional(positive, 'The most tokens of input and output together.'),
  /** Agent 7 §Budget */
  MaxCost: optional(money, 'The highest cost, such as `"$5.00"`.'),
  MaxDuration: optional(text, 'How long it may take, such as `10m`.'),
};

/** Agent 7 §State budget */
export const stateBudget = z.object({
  ...limits,
  MaxInputTokens: optional(positive, 'The most tokens of input.'),
  MaxOutputTokens: optional(positive, 'The most tokens of output.'),
  Category: optional(text, 'The category of the state in the cost report.'),
  Priority: optional(
    z.enum(['critical', 'high', 'normal', 'low', 'background']),
    'How urgent it is.',
  ),
  Tags: optional(z.unknown(), 'Has no effect yet.'),
  Attribution: optional(z.unknown(), 'Has no effect yet.'),
});

/** Agent 7 §Fallback */
export const fallbackStep = z.object({
  When: optional(when, 'The threshold, such as `BudgetAt80Percent`.'),
  UseModel: optional(text, 'The model from then on.'),
  Agent: optional(text, 'The agent from then on.'),
  Action: optional(z.enum(['PauseAndNotify', 'ReduceQuality']), 'What is done.'),
  Notify: optional(z.unknown(), 'Who is notified.'),
});

/** Agent 7 §Fallback */
export const fallback = z.extend(fallbackStep, {
  Cascade: optional(z.array(fallbackStep), 'Steps, each with its threshold.'),
});

/** Agent 7 §Alerts */
export const alert = z.object({
  At: described(part, 'The threshold, such as `"50%"`.'),
  Notify: optional(z.unknown(), 'Who is notified.'),
  Channel: optional(z.unknown(), 'Where the alert is sent.'),
  Message: optional(text, 'The text of the alert.'),
  Priority: optional(text, 'How urgent it is.'),
});

const onExceed = ['Fail', 'PauseAndNotify', 'UseFallback', 'Continue', 'Throttle'] as const;

/** Agent 7 §Workflow budget */
export const workflowBudget = z.object({
  ...limits,
  Currency: optional(text, 'The currency of amounts; `USD` when left out.'),
  OnExceed: optional(z.enum(onExceed), 'What happens when it is used up; `Fail` when left out.'),
  Fallback: optional(fallback, 'What changes when the budget runs low.'),
  Alerts: optional(z.array(alert), 'Notifications when a part of the budget is used.'),
  ThrottleDelay: optional(text, 'How long a call waits once the budget is used up, such as `30s`.'),
  Notify: optional(z.unknown(), 'Who is notified.'),
  MaxCostPerHour: optional(money, 'The highest cost of all runs in an hour.'),
  MaxCostPerDay: optional(money, 'The highest cost of all runs in a day.'),
  Pool: optional(text, 'The budget that several workflows share.'),
  MaxFromPool: optional(money, 'The most that one run may take from the pool.'),
  ReleaseOnComplete: optional(z.boolean(), 'Has no effect yet.'),
});

type OnExceed = (typeof onExceed)[number];

/** Limits on usage; undefined means unlimited. */
export type Limits = ReturnType<typeof readLimits>;

export type StateBudget = NonNullable<ReturnType<typeof readStateBudget>>;

export type WorkflowBudget = NonNullable<ReturnType<typeof readWorkflowBudget>>;

/** Limits on the cost of several runs, which a port counts. */
export type SharedBudget = NonNullable<ReturnType<typeof readShared>>;

/** The field that names the workflow in the budget of a chart. No author can write it. */
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

interface Alert {
  /** From 0 to 1. */
  readonly at: number;
  /** As authored. */
  readonly authored: JsonObject;
}

/** `$5.00`, `5 EUR`, `€ 1,200.50`; undefined for a string that is not an amount. */
export function parseMoney(written: unknown): number | undefined {
  if (typeof written === 'number') return written;
  if (typeof written !== 'string') return undefined;
  const amount = /^\s*[^\d.,-]{0,4}\s*(\d{1,12}(?:,\d{3})*(?:\.\d{1,9})?)\s*[^\d.,-]{0,4}\s*$/.exec(
    written,
  )?.[1];
  return amount === undefined ? undefined : Number(amount.replaceAll(',', ''));
}

/** `"50%"` is 0.5. */
function parsePart(written: unknown): number | undefined {
  if (typeof written !== 'string') return undefined;
  const percent = /^\s*(\d{1,3}(?:\.\d{1,6})?)\s*%\s*$/.exec(written)?.[1];
  return percent === undefined ? undefined : Number(percent) / 100;
}

/** `BudgetAt70Percent`. Agent 7 §Fallback */
function parseWhen(written: unknown): Pick<Fallback, 'of' | 'at'> | undefined {
  if (written === undefined || written === 'Always') return { of: 'budget', at: 0 };
  if (typeof written !== 'string') return undefined;
  const found = /^(Budget|Tokens)At(\d{1,3})Percent$/.exec(written);
  return found
    ? { of: found[1] === 'Tokens' ? 'tokens' : 'budget', at: Number(found[2]) / 100 }
    : undefined;
}

export function readStateBudget(written: unknown) {
  const fields = optionalObject(written);
  return (
    fields && {
      ...readLimits(fields),
      MaxInputTokens: optionalNumber(fields['MaxInputTokens']),
      MaxOutputTokens: optionalNumber(fields['MaxOutputTokens']),
      Category: optionalString(fields['Category']),
    }
  );
}

export function readWorkflowBudget(written: unknown) {
  const fields = optionalObject(written);
  return (
    fields && {
      ...readLimits(fields),
      Currency: optionalString(fields['Currency']) ?? 'USD',
      OnExceed: readOnExceed(fields),
      /** From the lowest threshold to the highest. */
      Fallbacks: readFallbacks(fields['Fallback']),
      /** From the lowest threshold to the highest. */
      Alerts: readAlerts(fields['Alerts']),
      /** Milliseconds. */
      ThrottleDelay: durationOf(fields['ThrottleDelay']) ?? 60_000,
      /** The limits on the cost of several runs; undefined for a budget of one run. */
      Shared: readShared(fields),
    }
  );
}

/** The default is `UseFallback` with a `Fallback`, else `Fail`. */
function readOnExceed(fields: Readonly<Record<string, unknown>>): OnExceed {
  const word = optionalString(fields['OnExceed']);
  return (word as OnExceed | undefined) ?? (isRecord(fields['Fallback']) ? 'UseFallback' : 'Fail');
}

function readLimits(fields: Readonly<Record<string, unknown>>) {
  return {
    MaxTokens: optionalNumber(fields['MaxTokens']),
    MaxCost: parseMoney(fields['MaxCost']),
    /** Milliseconds. */
    MaxDuration: durationOf(fields['MaxDuration']),
  };
}

const hour = 3_600_000;

const windows = [
  ['MaxCostPerHour', hour, 'hour'],
  ['MaxCostPerDay', 24 * hour, 'day'],
] as const;

function readShared(fields: Readonly<Record<string, unknown>>) {
  const found = windows.flatMap(([field, within, name]) => {
    const most = parseMoney(fields[field]);
    return most === undefined ? [] : [{ MaxCost: most, within, name }];
  });
  const pool = optionalString(fields['Pool']);
  if (found.length === 0 && pool === undefined) return undefined;
  return {
    /** Names the workflow among others. */
    Workflow: optionalString(fields[workflowName]) ?? '',
    /** Limits on all runs of the workflow. */
    Windows: found,
    Pool: pool,
    /** The most that one run may take from the pool. */
    MaxFromPool: parseMoney(fields['MaxFromPool']),
  };
}

function durationOf(written: unknown): number | undefined {
  return typeof written === 'string' ? parseDuration(written) : undefined;
}

function readFallbacks(written: unknown): Fallback[] {
  const { Cascade: cascade } = asRecord(written);
  const all = Array.isArray(cascade) ? cascade.slice(0, mostThresholds) : [written];
  return all
    .flatMap((one: unknown) => {
      const threshold = isRecord(one) ? parseWhen(one['When']) : undefined;
      if (!isRecord(one) || !threshold) return [];
      const action = one['Action'];
      return [
        {
          ...threshold,
          model: optionalString(one['UseModel']),
          agent: optionalString(one['Agent']),
          action: action === 'PauseAndNotify' || action === 'ReduceQuality' ? action : undefined,
          authored: one as JsonObject,
        } satisfies Fallback,
      ];
    })
    .toSorted((a, b) => a.at - b.at);
}

function readAlerts(written: unknown): Alert[] {
  return (Array.isArray(written) ? written.slice(0, mostThresholds) : [])
    .flatMap((one: unknown) => {
      const authored = optionalObject(one);
      const at = parsePart(authored?.['At']);
      return authored && at !== undefined ? [{ at, authored }] : [];
    })
    .toSorted((a, b) => a.at - b.at);
}

const mostThresholds = 100;
