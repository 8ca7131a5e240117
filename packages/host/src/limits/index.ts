export { limitPorts } from './limit-ports.ts';
export {
  type CallLimits,
  type Limits,
  limitsIn,
  type Price,
  type Prices,
  pricesIn,
} from './limits.ts';
export { inFigures } from './reached.ts';
export { type CallUse, nothingUsed, tokensOf, type Used, withCall, withUsage } from './used.ts';
export { askWithin, type Outcome, usesUp } from './ask-within.ts';
