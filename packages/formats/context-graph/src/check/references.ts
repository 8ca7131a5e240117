import type { Problem } from '@dramaturg/compiler/format';
import { createDefinitionCheck, createStartCheck } from '@dramaturg/conversation';
import {
  deepestReference,
  type Graph,
  type GraphReference,
  type GraphRule,
  outcomesOf,
  targetsOf,
} from '../definition.ts';
import { callName } from '../names.ts';
import { error, warning } from '../problems.ts';
import { initialStates, reachableStates } from '../state-graph.ts';

export const referenceCycle = error('reference-cycle', (name: string) => ({
  message: `The graph "${name}" refers back to a graph that refers to it.`,
  hint: 'Remove one of the references of the cycle.',
}));

export const tooLarge = error('too-large', (what: 'states' | 'levels', limit: number) => ({
  message: `With a copy of the referenced graph for every call, this graph has more than ${limit} ${what}.`,
  hint: 'Call a graph from fewer states: lead several exits to one state that makes the call.',
}));

type ResolvedReference = GraphReference & { readonly graph: Graph };

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

const brokenReference = error(
  'broken-reference',
  (name: string, errors: number, first: string) => ({
    message: `The graph "${name}" has ${errors === 1 ? 'an error' : `${errors} errors`}: ${first}`,
    hint: 'Check that graph separately to see all its errors.',
  }),
);

/** Reports referenced graphs that have errors, with their number. Checking that graph by itself lists them. */
export function brokenReferences(rules: readonly GraphRule[]): GraphRule {
  return ({ definition, options, report }) => {
    const errorsIn = ({ graph, problems }: ResolvedReference): Problem[] => {
      const found = [...problems];
      for (const rule of rules)
        rule({ definition: graph, options, report: (problem) => found.push(problem) });
      // A cycle of references is already reported at every reference that leads into it.
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

const checkOnEnd = createStartCheck({ error });
const reportDefinitions = createDefinitionCheck({ warning });

/** Reports mistakes in the definitions that are started at the end. Spec: docs/formats/context-graph.md#start */
export const wrongStarts: GraphRule = ({ definition, options, report }) => {
  const { on_end: onEnd } = definition;
  reportDefinitions(options.unknownDefinitions, report);
  const known = { values: ['outcome', 'state', 'reason'], outcomes: outcomesOf(definition) };
  if (onEnd) checkOnEnd(onEnd, known, ['on_end'], report);
};
