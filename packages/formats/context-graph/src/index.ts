import type { Format } from '@dramaturg/compiler/format';
import { namedAgents } from '@dramaturg/conversation';
import { authoring } from './authoring.ts';
import { behaviour } from './behaviour/index.ts';
import { contextGraphRules } from './check/index.ts';
import { dataTypes } from './data-types.ts';
import { type Graph, normalise } from './definition.ts';
import { lower } from './lower/chart.ts';
import { outline } from './outline.ts';
import { kinds } from './problems.ts';
import {
  contextGraphOptions,
  type ContextGraphOptions,
  contextGraphSchema,
  recognise,
  shapeOf,
} from './shape.ts';
import { wiring } from './state-graph.ts';

/** Context graphs: action states with hidden decisions, reflections and recalls between them. Spec: docs/formats/context-graph.md */
export const contextGraph: Format<Graph, ContextGraphOptions> = {
  name: 'context-graph',
  kind: 'conversation',
  title: 'context graph',
  suffixes: ['.context-graph.json', '.context-graph.yaml', '.context-graph.yml'],
  recognise,
  shape: shapeOf,
  schemas: [contextGraphSchema],
  authoring,
  dataTypes,
  options: contextGraphOptions,
  agentReferences: namedAgents,
  normalise,
  rules: contextGraphRules,
  lower,
  wiring: () => wiring,
  outline,
  behaviour,
  problems: kinds,
};

export type * from './context.ts';
export type * from './definition.ts';
export type * from './events.ts';
export type * from './shape.ts';
export { parseTopology, renderTopology } from './topology.ts';
export type * from './topology.ts';
