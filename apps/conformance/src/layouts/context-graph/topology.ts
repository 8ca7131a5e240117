import { check } from '@dramaturg/compiler';
import { contextGraph, type Graph, parseTopology, renderTopology } from '@dramaturg/context-graph';
import { type Difference, firstDifference } from '../../layout.ts';
import type { LoadedGraphs, TopologyCase } from './case-file.ts';

/** Compares the rendered topology, and checks that each of its blocks can be parsed. */
export function runTopology(
  { graph, graphs }: LoadedGraphs,
  { text }: TopologyCase,
): Difference | undefined {
  const { definition } = check(JSON.stringify(graph), {
    formats: [contextGraph],
    format: 'context-graph',
    options: { graphs },
  });
  const rendered = renderTopology(definition as Graph);
  const blocks = text.trimEnd().split('\n\n').slice(1);
  return firstDifference(
    { text: JSON.stringify(text), blocks: blocks.length },
    { text: JSON.stringify(rendered), blocks: parseTopology(text).states.length },
  );
}
