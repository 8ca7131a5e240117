import type { Problem } from '@dramaturg/compiler';
import { type Graph, type GraphReference, targetsOf } from '../definition.ts';
import { brokenReference, referenceCycle, referenceNotGiven, tooLarge } from '../diagnostics.ts';
import { callName } from '../names.ts';
import { deepestReference } from '../references.ts';
import { initialStates, reachableStates } from '../ways.ts';
import type { GraphRule } from './rule.ts';

/** A graph that is entered is given. One that is only named may be missing. */
export const referencesGiven: GraphRule = ({ definition, report }) => {
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

type ResolvedReference = GraphReference & { readonly graph: Graph };

function isResolved(reference: GraphReference): reference is ResolvedReference {
  return reference.graph !== undefined;
}

/** A reference and those that its graph leads to, one for each graph. */
function referencesFrom(reference: ResolvedReference): ResolvedReference[] {
  const byGraph = new Map([[reference.graph, reference]]);
  for (const [graph] of byGraph)
    for (const further of graph.references)
      if (isResolved(further) && !byGraph.has(further.graph)) byGraph.set(further.graph, further);
  return [...byGraph.values()];
}

/** A referenced graph is sound by itself. Its errors are counted here and told in full where it is checked. */
export function referencesSound(rules: readonly GraphRule[]): GraphRule {
  return ({ definition, options, report }) => {
    const errorsIn = ({ graph, problems }: ResolvedReference): Problem[] => {
      const found = [...problems];
      for (const rule of rules)
        rule({ definition: graph, options, report: (problem) => found.push(problem) });
      // A circle of references is told of every reference that leads into it, so of this one too.
      return found.filter(
        ({ severity, code }) => severity === 'error' && code !== referenceCycle.code,
      );
    };
    for (const reference of definition.references) {
      if (!isResolved(reference)) continue;
      const errors = referencesFrom(reference).flatMap(errorsIn);
      if (errors.length > 0)
        report(brokenReference(reference.name, errors.length, errors[0]!.message), reference.at);
    }
  };
}

/** A referenced graph has nodes for each place it is called from, and those it calls again: that multiplies. */
const mostStates = 20_000;

/** The chart has a bound, whatever refers to whatever. Spec: docs/formats/context-graph.md#references */
export const size: GraphRule = ({ definition, report }) => {
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
