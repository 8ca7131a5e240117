import type { Problem, Report } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';
import { createOtherTargetCheck } from '@dramaturg/conversation';
import {
  type Graph,
  type GraphReference,
  type GraphRule,
  type State,
  type Target,
  targetsOf,
} from '../definition.ts';
import { callName } from '../names.ts';
import { deepestReference } from '../definition.ts';
import { error, warning } from '../problems.ts';
import { initialStates, reachableStates } from '../state-graph.ts';

const referenceCycle = error('reference-cycle', (name: string) => ({
  message: `The graph "${name}" refers back to a graph that refers to it.`,
  hint: 'Remove one of the references of the cycle.',
}));

const tooLarge = error('too-large', (what: 'states' | 'levels', limit: number) => ({
  message: `With a copy of the referenced graph for every call, this graph has more than ${limit} ${what}.`,
  hint: 'Call a graph from fewer states: lead several exits to one state that makes the call.',
}));

const referenceNotGiven = error(
  'reference-not-given',
  (name: string, id: string, version: number, others: readonly string[]) => ({
    message: `The graph "${name}" (${id}, version ${version}) is missing.`,
    hint:
      others.length > 0
        ? `Pass this version, or refer to one that was passed: ${others.map((key) => `"${key}"`).join(', ')}.`
        : `Pass it with the option "graphs": { "${name}": { ... } }.`,
  }),
);

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

const badExternalTarget = error('bad-external-target', () => ({
  message: 'This target is not a pair of "reference.state" and the state to come back to.',
  hint: 'Write ["intake.ask_name", "next_step"].',
}));

const selfTarget = error('self-target', ({ name, type }: Pick<State, 'name' | 'type'>) => ({
  message: `The state "${name}" leads to itself.`,
  hint:
    type === 'action'
      ? 'Remove the exit: an action state stays when no exit condition holds.'
      : `Name another state: one of the type "${type}" is passed at once, so it would repeat without an end.`,
}));

const checkOtherTarget = createOtherTargetCheck({ warning }, 'next_state');

/**
 * Reports malformed targets, targets that are their own state, calls of an unknown graph or of an unknown state of one, and
 * fields that are for another target. Spec: docs/formats/context-graph.md#targets
 */
export const badTargets: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    for (const target of targetsOf(state)) {
      const other = target.kind === 'other' ? target.target : '';
      const place = { ...target, at: target.at.slice(0, -1) };
      checkOtherTarget(place, other, report);
      if (target.kind === 'malformed') report(badExternalTarget(), target.at);
      else if (target.kind === 'call') judgeCall(definition, target, report);
      else if (target.kind === 'state' && target.state === state.name)
        report(selfTarget(state), target.at);
    }
  }
};

const unknownReference = error('unknown-reference', (name: string, known: readonly string[]) => ({
  message: `"references" has no graph "${name}".`,
  hint: () => didYouMean(name, known) ?? `Add it: "references": { "${name}": [id, version] }.`,
}));

const unknownExternalState = error(
  'unknown-external-state',
  (name: string, reference: string, known: readonly string[]) => ({
    message: `The graph "${reference}" has no state "${name}".`,
    hint: () => didYouMean(name, known),
  }),
);

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
