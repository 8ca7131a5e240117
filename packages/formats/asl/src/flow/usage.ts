import { isRecord, type Json, type Usage as PaidUsage } from '@dramaturg/compiler';
import { type CountedCost, usageIn } from '@dramaturg/compiler/machine';

/** Tokens and cost of one or more calls. */
export interface Usage {
  readonly tokens: number;
  /** In the currency of the agents. */
  readonly cost: number;
}

/** The usage of one call. */
export interface CallUsage extends Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly model?: string;
  /** The part of the cost that a nested definition has counted, by the names of accounts. */
  readonly counted?: CountedCost;
  /** Whether the port has counted, so that the host emits the event. */
  readonly isReportedByHost: boolean;
}

/** The usage of all calls of one visit. */
export type VisitUsage = Omit<CallUsage, 'isReportedByHost' | 'model' | 'counted'>;

/** The result of an agent's call, or of a person or worker in its place. */
export interface Answer {
  readonly result: Json;
  readonly usage?: PaidUsage;
}

/** The count of the port; without one, `_tokens`, `_cost` and `_usage` of the agent's result. Agent 7 §Metering */
export function usageOfCall({ result, usage }: Answer): CallUsage | undefined {
  if (usage) return paid(usage);
  if (!isRecord(result)) return undefined;
  const { _tokens: tokens, _cost: cost, _usage: parts, _model: model } = result;
  const { input, output } = isRecord(parts) ? parts : {};
  const [inputTokens, outputTokens] = [amountOf(input), amountOf(output)];
  if (![tokens, cost, input, output].some(isAmount)) return undefined;
  return {
    tokens: isAmount(tokens) ? tokens : inputTokens + outputTokens,
    cost: amountOf(cost),
    inputTokens,
    outputTokens,
    ...(typeof model === 'string' && { model }),
    isReportedByHost: false,
  };
}

/** The usage of a failed call, if its port has counted it. */
export function usageOfFailedCall(error: unknown): CallUsage | undefined {
  const usage = usageIn({ error });
  return usage && paid(usage);
}

function paid({ inputTokens, outputTokens, model, counted, cost = 0 }: PaidUsage): CallUsage {
  return {
    tokens: inputTokens + outputTokens,
    cost,
    inputTokens,
    outputTokens,
    ...(model !== undefined && { model }),
    ...(counted && { counted }),
    isReportedByHost: true,
  };
}

function amountOf(value: unknown): number {
  return isAmount(value) ? value : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The sum; undefined without any usage. */
export function sumOf(usages: Iterable<Usage | undefined>): Usage | undefined {
  let sum: Usage | undefined;
  for (const usage of usages) {
    if (usage) {
      sum = { tokens: (sum?.tokens ?? 0) + usage.tokens, cost: (sum?.cost ?? 0) + usage.cost };
    }
  }
  return sum;
}
