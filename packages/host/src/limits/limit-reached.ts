import type { Limits } from './limits.ts';
import { tokensOf, type UsageTotal } from './usage-total.ts';

/**
 * Says why no more calls are made: which limit is reached, the usage, and the next thing to do.
 *
 * @param callsRunning the number of running calls; the rest of their usage is not known yet
 * @returns undefined when another call may be made
 */
export function limitReachedReason(
  limits: Limits,
  used: UsageTotal,
  callsRunning: () => number,
): string | undefined {
  if (limits.calls !== undefined) {
    const calls = used.calls + callsRunning();
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

/** The options of the command for the limits. */
const optionOf = {
  calls: '--max-calls',
  tokens: '--max-tokens',
  time: '--max-time',
  cost: '--max-cost',
} as const;

function sentence(what: keyof typeof optionOf, used: number, limit: number): string {
  const unit = what === 'time' ? ' ms' : '';
  return `The limit of ${what} is reached: ${formatAmount(used)} of ${formatAmount(limit)}${unit} used. To go on, raise limits.${what} (${optionOf[what]}).`;
}

function unpriced(model: string): string {
  const who = model === '' ? 'a model that does not say its name' : `the model "${model}"`;
  return `The cost is limited, but the price of ${who} is unknown. Give its price in limits.prices (--prices).`;
}

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

export function formatAmount(amount: number): string {
  return figures.format(amount);
}
