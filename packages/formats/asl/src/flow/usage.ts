import { isRecord, type Json } from '@dramaturg/compiler';

/** What a run has used up so far. */
export interface Usage {
  readonly tokens: number;
  /** In the currency that agents count in. */
  readonly cost: number;
}

/** What an agent says it has used, in `_tokens` and `_cost` of its result. Agent 7 §Metering */
export function usageOf(result: Json): Usage | undefined {
  if (!isRecord(result)) return undefined;
  const { _tokens: tokens, _cost: cost } = result;
  if (!isAmount(tokens) && !isAmount(cost)) return undefined;
  return { tokens: isAmount(tokens) ? tokens : 0, cost: isAmount(cost) ? cost : 0 };
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The sum, or undefined when nothing was used. */
export function sumOf(usages: Iterable<Usage | undefined>): Usage | undefined {
  let sum: Usage | undefined;
  for (const usage of usages) {
    if (usage) {
      sum = { tokens: (sum?.tokens ?? 0) + usage.tokens, cost: (sum?.cost ?? 0) + usage.cost };
    }
  }
  return sum;
}
