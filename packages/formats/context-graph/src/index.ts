import { isRecord } from '@dramaturg/compiler';
import type { Format, Imports } from '@dramaturg/compiler/format';
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

const suffixes = ['.context-graph.json', '.context-graph.yaml', '.context-graph.yml'];

/** A referenced graph is in the file of its name. Spec: docs/formats/context-graph.md#references */
const imports: Imports = {
  option: 'graphs',
  sources: (graph) => {
    const { references, states } = isRecord(graph) ? graph : {};
    return states && isRecord(references) ? Object.keys(references) : undefined;
  },
  path: (_, name) => (/^\w+$/.test(name) ? name : undefined),
  suffixes,
};

/** Context graphs: action states with hidden decisions, reflections and recalls between them. Spec: docs/formats/context-graph.md */
export const contextGraph: Format<Graph, ContextGraphOptions> = {
  name: 'context-graph',
  kind: 'conversation',
  title: 'context graph',
  suffixes,
  recognise,
  shape: shapeOf,
  schemas: [contextGraphSchema],
  authoring,
  dataTypes,
  options: contextGraphOptions,
  agentReferences: namedAgents,
  imports,
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
