export { limitPorts } from './limit-ports.ts';
export {
  type InboxLimits,
  type Limits,
  parseInboxLimits,
  parseLimits,
  parsePrices,
  type Prices,
} from './limits.ts';
export { formatAmount, askWithinLimits, type Outcome, isMetered } from './ask-within-limits.ts';
export {
  type CallUsage,
  noUsage,
  tokensOf,
  type UsageTotal,
  addCall,
  addUsage,
} from './usage-total.ts';
