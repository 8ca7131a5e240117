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
export { nodeKey } from '../chart/chart.ts';
export { nodeName } from '../chart/graph.ts';
export { chartsOf } from '../chart/graph.ts';
export { checkChart } from '../chart/check.ts';
export { ChartError, type ChartErrorCode } from '../chart/graph.ts';
export { type ComparedDefinition, compareDefinitions } from '../comparison/compare-definitions.ts';
export type { DefinitionChange, PartName } from '../comparison/compare-definitions.ts';
export { comparisonMermaid } from '../comparison/comparison-mermaid.ts';
export type { Outline, PartKind } from '../comparison/match-parts.ts';
export {
  failedTag,
  failureOfOutput,
  failureSentence,
  hiddenTag,
  restingTag,
  standingFailure,
  waitingTag,
} from '../contract/states.ts';
export { loopsOf, reachableFrom, rootsOf } from '../directed-graph.ts';
export { drawingOf, type DrawingOptions } from '../export/drawing.ts';
export type { Drawing, DrawnEdge, DrawnNode } from '../export/drawn.ts';
export { type MermaidLook, type MermaidOptions, toMermaid } from '../export/mermaid.ts';
export { toStately } from '../export/stately.ts';
