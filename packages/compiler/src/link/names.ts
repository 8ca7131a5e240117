import type { Chart, Reference } from '../chart/chart.ts';
import { chartsOf, nodesOf, transitionLists } from '../chart/graph.ts';
import { portSchemas } from '../ports/contract.ts';
import type { Behaviour } from './behaviour.ts';

/** The names of each behaviour, because a host links many charts with few behaviours. */
const namesOfBehaviours = new WeakMap<Behaviour, ReadonlySet<string>>();

/** The names that a chart and the charts within it use and the behaviour lacks, sorted. */
export function missingNames(chart: Chart, behaviour: Behaviour): string[] {
  return missing(namesUsedBy(chart), behaviour);
}

/**
 * The names that a chart and the charts within it use and the behaviour lacks, and the names of the behaviour that none
 * of them uses.
 */
export function nameUse(
  chart: Chart,
  behaviour: Behaviour,
): { missing: string[]; unused: string[] } {
  const used = namesUsedBy(chart);
  return {
    missing: missing(used, behaviour),
    unused: [...namesOf(behaviour)].filter((name) => !used.has(name)).toSorted(),
  };
}

function missing(used: ReadonlySet<string>, behaviour: Behaviour): string[] {
  const known = namesOf(behaviour);
  const isKnown = (name: string) =>
    name.startsWith('port ')
      ? Object.hasOwn(portSchemas, name.slice('port '.length))
      : known.has(name);
  return [...used].filter((name) => !isKnown(name)).toSorted();
}

function namesOf(behaviour: Behaviour): ReadonlySet<string> {
  const found = namesOfBehaviours.get(behaviour);
  if (found) return found;
  const { contexts, outputs, guards, actions, inputs } = behaviour;
  const kinds = Object.entries({
    context: contexts,
    output: outputs,
    guard: guards,
    action: actions,
    input: inputs,
  });
  const names = new Set(
    kinds.flatMap(([kind, code]) => Object.keys(code).map((name) => `${kind} ${name}`)),
  );
  namesOfBehaviours.set(behaviour, names);
  return names;
}

function namesUsedBy(chart: Chart): ReadonlySet<string> {
  return new Set(chartsOf(chart).flatMap(usedNames));
}

function usedNames(chart: Chart): string[] {
  const used = [`context ${chart.context.type}`, `output ${chart.output.type}`];
  const useActions = (actions: readonly Reference[] | undefined) => {
    for (const action of actions ?? []) used.push(`action ${action.type}`);
  };
  for (const node of nodesOf(chart)) {
    useActions(node.entry);
    useActions(node.exit);
    for (const invoke of node.invoke ?? []) {
      if (!invoke.chart) used.push(`port ${invoke.src}`);
      used.push(`input ${invoke.input.type}`);
    }
    for (const [, transitions] of transitionLists(node)) {
      for (const { guard, actions } of transitions) {
        if (guard) used.push(`guard ${guard.type}`);
        useActions(actions);
      }
    }
  }
  return used;
}
