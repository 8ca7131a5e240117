/** The chart of a definition: its nodes, ways through it, coverage, comparison and drawings. For tools that show charts. */
export type {
  ChartInvoke,
  ChartNode,
  ChartTransition,
  EachInvoke,
  NodeMeta,
  PortInvoke,
  Reference,
} from '../chart/chart.ts';
export {
  type CoverageUnit,
  missingWords,
  originOf,
  reachedKeys,
  unitKey,
  unitsOf,
} from '../chart/coverage-units.ts';
export { type ChartOperand, operandsMeta } from '../chart/coverage-units.ts';
export { nodeKey } from '../chart/node-key.ts';
export { nodeName } from '../chart/node-name.ts';
export { chartsOf } from '../chart/walk.ts';
export { checkChart } from '../chart/check.ts';
export { ChartError, type ChartErrorCode } from '../chart/problems.ts';
export { type ComparedDefinition, compareDefinitions } from '../comparison/compare-definitions.ts';
export type { DefinitionChange, PartName } from '../comparison/definition-change.ts';
export { comparisonMermaid } from '../comparison/comparison-mermaid.ts';
export type { Outline, PartKind } from '../comparison/outline.ts';
export { failureOfOutput, standingFailure } from '../contract/failed-state.ts';
export { failedTag, hiddenTag, restingTag, waitingTag } from '../contract/tags.ts';
export { loopsOf, reachableFrom, rootsOf } from '../directed-graph.ts';
export { drawingOf, type DrawingOptions } from '../export/drawing.ts';
export type { Drawing, DrawnEdge, DrawnNode } from '../export/drawn.ts';
export { type MermaidLook, type MermaidOptions, toMermaid } from '../export/mermaid.ts';
export { toStately } from '../export/stately.ts';
