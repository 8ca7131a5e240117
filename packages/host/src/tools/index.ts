/** Tools that are functions, and checks of values from models and functions: for ports over any model. */
export {
  asJson,
  callToolPort,
  closed,
  type PlainTool,
  type ToolLimits,
  type ToolUse,
} from './call-tool.ts';
export { fittingPart, misfit } from './fit.ts';
