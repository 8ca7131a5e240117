import type { Usage } from '@dramaturg/compiler';

/** What the calls of a conversation or workflow have used up. It stays the same size however long that goes on. */
export type Used = {
  /** Calls of ports that have ended; timers and decisions of people are none. */
  readonly calls: number;
  /** How long they took, one added to the other, in milliseconds. */
  readonly time: number;
  /** How often a model was asked. */
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Money, as far as it is known. */
  readonly cost: number;
  /** A model that had no price, so that `cost` lacks what it has cost. Empty for one without a name. */
  readonly unpriced?: string;
};

export const nothingUsed: Used = {
  calls: 0,
  time: 0,
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
};

/** What one call has used. */
export interface CallUse {
  /** Milliseconds. */
  readonly time: number;
  readonly usage?: Usage | undefined;
}

export function withCall(used: Used, { time, usage }: CallUse): Used {
  const after = { ...used, calls: used.calls + 1, time: used.time + time };
  return usage ? withUsage(after, usage) : after;
}

/** What was used otherwise than by a call of its own: by definitions that it ran as agents, or as an agent says itself. */
export function withUsage(used: Used, usage: Usage): Used {
  const isUnpriced = usage.cost === undefined && tokensOf(usage) > 0;
  return {
    ...used,
    requests: used.requests + usage.requests,
    inputTokens: used.inputTokens + usage.inputTokens,
    outputTokens: used.outputTokens + usage.outputTokens,
    cost: used.cost + (usage.cost ?? 0),
    ...(isUnpriced && used.unpriced === undefined ? { unpriced: usage.model ?? '' } : {}),
  };
}

export function tokensOf({
  inputTokens,
  outputTokens,
}: Pick<Usage, 'inputTokens' | 'outputTokens'>): number {
  return inputTokens + outputTokens;
}
