export { type InboxLimits, parseInboxLimits } from './inbox-limits.ts';
export { limitPorts } from './limit-ports.ts';
export { type Limits, parseLimits, type Prices, parsePrices } from './limits.ts';
export { formatAmount, askWithinLimits, type Outcome, isMetered } from './ask-within-limits.ts';
export {
  type CallUsage,
  noUsage,
  tokensOf,
  type UsageTotal,
  addCall,
  addUsage,
} from './usage-total.ts';
