export { limitPorts } from './limit-ports.ts';
export {
  type CallLimits,
  type Limits,
  limitsIn,
  type Price,
  type Prices,
  pricesIn,
} from './limits.ts';
export { type CallUse, nothingUsed, type Used, withCall } from './used.ts';
export { askWithin, type Outcome, usesUp } from './ask-within.ts';
