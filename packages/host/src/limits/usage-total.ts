import type { Usage } from '@dramaturg/compiler';
import { type CountedCost, sumOfCounted } from '@dramaturg/compiler/machine';

/** The consumption of a conversation's or workflow's calls. Its size does not grow with their number. */
export type UsageTotal = {
  /** Calls of ports that ended, without timers and decisions of people. */
  readonly calls: number;
  /** The sum of their durations, in milliseconds. */
  readonly time: number;
  /** Requests to models. */
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of the input that providers have read from a cache. */
  readonly cachedInputTokens?: number;
  /** The part of the output that models have spent on thinking. */
  readonly reasoningTokens?: number;
  /** Money, as far as known. */
  readonly cost: number;
  /** A model whose answers are not in `cost`, because it had no price. Empty if the model has no name. */
  readonly unpriced?: string;
  /** The part of `cost` that is counted in accounts of several runs. */
  readonly counted?: CountedCost;
};

export const noUsage: UsageTotal = {
  calls: 0,
  time: 0,
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
};

/** The consumption of one call. */
export interface CallUsage {
  /** Milliseconds. */
  readonly time: number;
  readonly usage?: Usage | undefined;
}

export function addCall(used: UsageTotal, { time, usage }: CallUsage): UsageTotal {
  const after = { ...used, calls: used.calls + 1, time: used.time + time };
  return usage ? addUsage(after, usage) : after;
}

/** Adds usage without an own call: of definitions that ran as agents, or reported by an agent. */
export function addUsage(used: UsageTotal, usage: Usage): UsageTotal {
  const isUnpriced = usage.cost === undefined && tokensOf(usage) > 0;
  return {
    ...used,
    requests: used.requests + usage.requests,
    inputTokens: used.inputTokens + usage.inputTokens,
    outputTokens: used.outputTokens + usage.outputTokens,
    ...sumOfParts(used, usage),
    cost: used.cost + (usage.cost ?? 0),
    ...(usage.counted && { counted: sumOfCounted(used.counted, usage.counted) }),
    ...(isUnpriced && used.unpriced === undefined ? { unpriced: usage.model ?? '' } : {}),
  };
}

type Parts = Pick<UsageTotal, 'cachedInputTokens' | 'reasoningTokens'>;

/** Adds the parts that at least one provider has reported. */
function sumOfParts(one: Parts, other: Partial<Usage>): Parts {
  const cachedInputTokens = (one.cachedInputTokens ?? 0) + (other.cachedInputTokens ?? 0);
  const reasoningTokens = (one.reasoningTokens ?? 0) + (other.reasoningTokens ?? 0);
  return {
    ...(cachedInputTokens > 0 && { cachedInputTokens }),
    ...(reasoningTokens > 0 && { reasoningTokens }),
  };
}

export function tokensOf({
  inputTokens,
  outputTokens,
}: Pick<Usage, 'inputTokens' | 'outputTokens'>): number {
  return inputTokens + outputTokens;
}
