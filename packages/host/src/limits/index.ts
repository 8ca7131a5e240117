export { limitPorts } from './limit-ports.ts';
export {
  type CallLimits,
  type Limits,
  limitsIn,
  type Price,
  type Prices,
  pricesIn,
} from './limits.ts';
export { inFigures } from './limit-reached.ts';
export { type CallUse, nothingUsed, tokensOf, type Used, withCall, withUsage } from './usage-total.ts';
export { askWithin, type Outcome, usesUp } from './ask-within-limits.ts';
