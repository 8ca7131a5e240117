import type { Chart, Reference } from '../chart/chart.ts';
import { chartsOf, nodesOf, transitionLists } from '../chart/walk.ts';
import { portSchemas } from '../ports/contract.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * The names that a chart and the charts within it use and the behaviour lacks, and the names of the behaviour that none
 * of them uses.
 */
export function nameUse(
  chart: Chart,
  behaviour: Behaviour,
): { missing: string[]; unused: string[] } {
  const known = new Set<string>([
    ...Object.keys(behaviour.contexts).map((name) => `context ${name}`),
    ...Object.keys(behaviour.outputs).map((name) => `output ${name}`),
    ...Object.keys(behaviour.guards).map((name) => `guard ${name}`),
    ...Object.keys(behaviour.actions).map((name) => `action ${name}`),
    ...Object.keys(behaviour.inputs).map((name) => `input ${name}`),
  ]);
  const used = new Set(chartsOf(chart).flatMap(usedNames));
  const isKnown = (name: string) =>
    name.startsWith('port ')
      ? Object.hasOwn(portSchemas, name.slice('port '.length))
      : known.has(name);
  return {
    missing: [...used].filter((name) => !isKnown(name)).toSorted(),
    unused: [...known].filter((name) => !used.has(name)).toSorted(),
  };
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
