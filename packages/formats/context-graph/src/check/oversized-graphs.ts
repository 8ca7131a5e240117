import { type Graph, targetsOf } from '../definition.ts';
import { tooLarge } from '../diagnostics/references.ts';
import { callName } from '../names.ts';
import { deepestReference } from '../normalise/references.ts';
import { initialStates, reachableStates } from '../state-graph.ts';
import type { GraphRule } from './rule.ts';

/** The most states of a chart. Every call copies the nodes of the called graph, so sizes multiply. */
const mostStates = 20_000;

/** Reports graphs whose calls would make the chart too large or too deep. Spec: docs/formats/context-graph.md#references */
export const oversizedGraphs: GraphRule = ({ definition, report }) => {
  const sizes = new Map<Graph, Map<string, number>>();
  const sizeFrom = (graph: Graph, entries: readonly string[], depth: number): number => {
    if (depth > deepestReference) return Infinity;
    const known = sizes.get(graph) ?? new Map<string, number>();
    sizes.set(graph, known);
    const key = entries.join(' ');
    const before = known.get(key);
    if (before !== undefined) return before;
    const reached = reachableStates(graph, entries);
    const calls = new Map<string, number>();
    for (const state of graph.states.filter(({ name }) => reached.has(name))) {
      for (const target of targetsOf(state)) {
        if (target.kind !== 'call') continue;
        const called = graph.references.find(({ name }) => name === target.reference)?.graph;
        const name = callName(target.reference, target.state, target.jumpback);
        if (called && !calls.has(name))
          calls.set(name, sizeFrom(called, [target.state], depth + 1));
      }
    }
    const total = [...calls.values()].reduce((sum, one) => sum + one, reached.size);
    known.set(key, total);
    return total;
  };
  if (definition.references.length === 0) return;
  const total = sizeFrom(definition, initialStates(definition), 0);
  if (total > mostStates)
    report(
      total === Infinity ? tooLarge('levels', deepestReference) : tooLarge('states', mostStates),
      ['references'],
    );
};
