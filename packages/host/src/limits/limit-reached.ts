import type { Limits } from './limits.ts';
import { tokensOf, type Used } from './usage-total.ts';

/**
 * Why no more calls are to be made: which limit is reached, what was used, and what to do.
 *
 * @param underWay how many calls have been made and not ended; what else they use nobody knows yet
 * @returns undefined when another call may be made
 */
export function reachedBy(limits: Limits, used: Used, underWay: () => number): string | undefined {
  if (limits.calls !== undefined) {
    const calls = used.calls + underWay();
    if (isReached(limits.calls, calls)) return sentence('calls', calls, limits.calls);
  }
  const tokens = tokensOf(used);
  if (isReached(limits.tokens, tokens)) return sentence('tokens', tokens, limits.tokens);
  if (isReached(limits.time, used.time)) return sentence('time', used.time, limits.time);
  if (limits.cost === undefined) return undefined;
  if (used.unpriced !== undefined) return unpriced(used.unpriced);
  return isReached(limits.cost, used.cost) ? sentence('cost', used.cost, limits.cost) : undefined;
}

function isReached(limit: number | undefined, used: number): limit is number {
  return limit !== undefined && used >= limit;
}

/** How the limits are called in the command. */
const optionOf = {
  calls: '--max-calls',
  tokens: '--max-tokens',
  time: '--max-time',
  cost: '--max-cost',
} as const;

function sentence(what: keyof typeof optionOf, used: number, limit: number): string {
  const unit = what === 'time' ? ' ms' : '';
  return `The limit of ${what} is reached: ${inFigures(used)} of ${inFigures(limit)}${unit} used. To go on, raise limits.${what} (${optionOf[what]}).`;
}

function unpriced(model: string): string {
  const who = model === '' ? 'a model that does not say its name' : `the model "${model}"`;
  return `There is a limit of cost, and what ${who} costs is not known. Give its price in limits.prices (--prices).`;
}

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

export function inFigures(amount: number): string {
  return figures.format(amount);
}
