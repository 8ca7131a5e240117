import type { Problem, Report } from '@dramaturg/compiler/format';
import { checkOtherTarget } from '@dramaturg/conversation';
import { type Graph, type GraphReference, type Target, targetsOf } from '../definition.ts';
import {
  brokenReference,
  referenceCycle,
  referenceNotGiven,
  tooLarge,
  unknownReference,
} from '../diagnostics/references.ts';
import {
  badExternalTarget,
  fieldOfAnotherTarget,
  selfTarget,
  unknownExternalState,
} from '../diagnostics/targets.ts';
import { callName } from '../names.ts';
import { deepestReference } from '../normalise/references.ts';
import { initialStates, reachableStates } from '../state-graph.ts';
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

function isResolved(reference: GraphReference): reference is ResolvedReference {
  return reference.graph !== undefined;
}

/** A reference and those reachable from its graph, one for each graph. */
function referencesFrom(reference: ResolvedReference): ResolvedReference[] {
  const byGraph = new Map([[reference.graph, reference]]);
  for (const [graph] of byGraph)
    for (const further of graph.references)
      if (isResolved(further) && !byGraph.has(further.graph)) byGraph.set(further.graph, further);
  return [...byGraph.values()];
}

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

/**
 * Reports malformed targets, targets that are their own state, calls of an unknown graph or of an unknown state of one, and
 * fields that are for another target. Spec: docs/formats/context-graph.md#targets
 */
export const badTargets: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    for (const target of targetsOf(state)) {
      const other = target.kind === 'other' ? target.target : '';
      const place = { ...target, at: target.at.slice(0, -1) };
      checkOtherTarget({ fieldOfAnotherTarget }, place, other, report);
      if (target.kind === 'malformed') report(badExternalTarget(), target.at);
      else if (target.kind === 'call') judgeCall(definition, target, report);
      else if (target.kind === 'state' && target.state === state.name)
        report(selfTarget(state), target.at);
    }
  }
};

function judgeCall(
  { references, areReferencesRead }: Graph,
  { reference: name, state, at }: Target & { kind: 'call' },
  report: Report,
): void {
  const reference = references.find((one) => one.name === name);
  if (!reference) {
    const names = references.map((one) => one.name);
    if (areReferencesRead) report(unknownReference(name, names), [...at, 0], { topic: name });
  } else if (reference.graph) {
    const states = reference.graph.states.map((one) => one.name);
    if (!states.includes(state))
      report(unknownExternalState(state, name, states), [...at, 0], { topic: `${name}.${state}` });
  }
}
