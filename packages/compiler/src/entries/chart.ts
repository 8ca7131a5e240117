/** The chart of a definition: its nodes, ways through it, coverage, comparison and drawings. For tools that show charts. */
export {
  type ChartInvoke,
  type ChartNode,
  type ChartTransition,
  type EachInvoke,
  type NodeMeta,
  type PortInvoke,
  type Reference,
  nodeKey,
} from '../chart/chart.ts';
export {
  type CoverageUnit,
  missingWords,
  originOf,
  reachedKeys,
  unitKey,
  unitsOf,
  type ChartOperand,
  operandsMeta,
} from '../chart/coverage-units.ts';
export { nodeName, chartsOf, ChartError, type ChartErrorCode, nodesOf } from '../chart/graph.ts';
export { checkChart } from '../chart/check.ts';
export {
  type ComparedDefinition,
  compareDefinitions,
  type DefinitionChange,
  type PartName,
} from '../comparison/compare-definitions.ts';
export { comparisonMermaid } from '../comparison/comparison-mermaid.ts';
export type { Outline, PartKind } from '../comparison/match-parts.ts';
export {
  failedTag,
  failureOfOutput,
  failureLines,
  furtherFailures,
  type ItemFailures,
  hiddenTag,
  restingTag,
  standingFailure,
  waitingTag,
} from '../contract/states.ts';
export { loopsOf, reachableFrom, rootsOf, sourcesOf } from '../directed-graph.ts';
export { drawingOf, type DrawingOptions } from '../export/drawing.ts';
export type { Drawing, DrawnEdge, DrawnNode } from '../export/drawn.ts';
export { type MermaidLook, type MermaidOptions, toMermaid } from '../export/mermaid.ts';
export { toStately } from '../export/stately.ts';
