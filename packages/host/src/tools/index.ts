/** Tools that are functions, and what checks the values that models and functions give: for ports over any model. */
export { asJson } from './call-tool.ts';
export { callToolPort } from './call-tool.ts';
export { closed } from './call-tool.ts';
export { fittingPart, misfit } from './fit.ts';
export type { PlainTool, ToolLimits, ToolUse } from './call-tool.ts';
