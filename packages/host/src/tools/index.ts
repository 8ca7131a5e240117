/** Tools that are functions, and checks of values from models and functions: for ports over any model. */
export { asJson } from './call-tool.ts';
export { callToolPort } from './call-tool.ts';
export { closed } from './call-tool.ts';
export { fittingPart, misfit } from './fit.ts';
export type { PlainTool, ToolLimits, ToolUse } from './call-tool.ts';
