import { type Graph, type GraphReference, targetsOf } from '../definition.ts';
import { referenceCycle, referenceNotGiven, tooLarge } from '../diagnostics/references.ts';
import { deepestReference } from '../normalise/references.ts';
import type { GraphRule } from './rule.ts';

/** Reports entered graphs that are missing, and references that form a cycle. A graph that is never entered may be missing. */
export const missingReferences: GraphRule = ({ definition, report }) => {
  const entered = new Set(
    definition.states.flatMap((state) =>
      targetsOf(state).flatMap((target) => (target.kind === 'call' ? [target.reference] : [])),
    ),
  );
  for (const reference of definition.references) {
    const { name, id, version, graph, otherVersions, refused, at } = reference;
    if (leadsBack(reference)) report(referenceCycle(name), at);
    else if (refused === 'too deep') report(tooLarge('levels', deepestReference), at);
    else if (!graph && entered.has(name))
      report(referenceNotGiven(name, id, version, otherVersions), at);
  }
};

function leadsBack(reference: GraphReference): boolean {
  const graphs = isResolved(reference) ? referencesFrom(reference).map(({ graph }) => graph) : [];
  const further = graphs.flatMap(({ references }) => references);
  return [reference, ...further].some(({ refused }) => refused === 'cycle');
}

export type ResolvedReference = GraphReference & { readonly graph: Graph };

export function isResolved(reference: GraphReference): reference is ResolvedReference {
  return reference.graph !== undefined;
}

/** A reference and those reachable from its graph, one for each graph. */
export function referencesFrom(reference: ResolvedReference): ResolvedReference[] {
  const byGraph = new Map([[reference.graph, reference]]);
  for (const [graph] of byGraph)
    for (const further of graph.references)
      if (isResolved(further) && !byGraph.has(further.graph)) byGraph.set(further.graph, further);
  return [...byGraph.values()];
}
