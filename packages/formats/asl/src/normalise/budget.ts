import { isRecord, type JsonObject } from '@dramaturg/compiler';
import { parseDuration } from '../data/timestamp.ts';
import {
  type Alert,
  type Fallback,
  type Limits,
  type OnExceed,
  parseMoney,
  parsePart,
  parseWhen,
  type SharedBudget,
  type StateBudget,
  type WorkflowBudget,
  workflowName,
} from '../definition/budget.ts';
import { optionalNumber, optionalObject, asRecord, optionalString } from './fields.ts';

export function readStateBudget(written: unknown): StateBudget | undefined {
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

export function readWorkflowBudget(written: unknown): WorkflowBudget | undefined {
  const fields = optionalObject(written);
  return (
    fields && {
      ...readLimits(fields),
      Currency: optionalString(fields['Currency']) ?? 'USD',
      OnExceed: readOnExceed(fields),
      Fallbacks: readFallbacks(fields['Fallback']),
      Alerts: readAlerts(fields['Alerts']),
      ThrottleDelay: durationOf(fields['ThrottleDelay']) ?? 60_000,
      Shared: readShared(fields),
    }
  );
}

/** The default is `UseFallback` with a `Fallback`, else `Fail`. */
function readOnExceed(fields: Readonly<Record<string, unknown>>): OnExceed {
  const word = optionalString(fields['OnExceed']);
  return (word as OnExceed | undefined) ?? (isRecord(fields['Fallback']) ? 'UseFallback' : 'Fail');
}

function readLimits(fields: Readonly<Record<string, unknown>>): Limits {
  return {
    MaxTokens: optionalNumber(fields['MaxTokens']),
    MaxCost: parseMoney(fields['MaxCost']),
    MaxDuration: durationOf(fields['MaxDuration']),
  };
}

const hour = 3_600_000;

const windows = [
  ['MaxCostPerHour', hour, 'hour'],
  ['MaxCostPerDay', 24 * hour, 'day'],
] as const;

function readShared(fields: Readonly<Record<string, unknown>>): SharedBudget | undefined {
  const limits = windows.flatMap(([field, within, name]) => {
    const most = parseMoney(fields[field]);
    return most === undefined ? [] : [{ MaxCost: most, within, name }];
  });
  const pool = optionalString(fields['Pool']);
  if (limits.length === 0 && pool === undefined) return undefined;
  return {
    Workflow: optionalString(fields[workflowName]) ?? '',
    Windows: limits,
    Pool: pool,
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
      const when = isRecord(one) ? parseWhen(one['When']) : undefined;
      if (!isRecord(one) || !when) return [];
      const action = one['Action'];
      return [
        {
          ...when,
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
