import type { Chart, Reference } from '../chart/chart.ts';
import { nodesOf, transitionLists } from '../chart/graph.ts';
import { portSchemas } from '../ports/contract.ts';
import { atOnce, nodesPerSlice, type Sliced } from '../sliced.ts';
import type { Behaviour } from './behaviour.ts';

const kinds = ['context', 'output', 'guard', 'action', 'input', 'port'] as const;
/** Names of code by their kind. */
type Names = Readonly<Record<(typeof kinds)[number], Set<string>>>;

/** The names of each behaviour, because a host links many charts with few behaviours. */
const namesOfBehaviours = new WeakMap<Behaviour, Names>();

/** The names that a chart and the charts within it use and the behaviour lacks, sorted. */
export function* missingNames(chart: Chart, behaviour: Behaviour): Sliced<string[]> {
  return difference(yield* namesUsedBy(chart), namesOf(behaviour));
}

/**
 * The names that a chart and the charts within it use and the behaviour lacks, and the names of the behaviour that none
 * of them uses.
 */
export function nameUse(
  chart: Chart,
  behaviour: Behaviour,
): { missing: string[]; unused: string[] } {
  const used = atOnce(namesUsedBy(chart));
  const { port: _, ...own } = namesOf(behaviour);
  return {
    missing: difference(used, namesOf(behaviour)),
    unused: difference({ ...own, port: new Set() }, used),
  };
}

function difference(names: Names, others: Names): string[] {
  return kinds
    .flatMap((kind) =>
      [...names[kind]].filter((name) => !others[kind].has(name)).map((name) => `${kind} ${name}`),
    )
    .toSorted();
}

function namesOf(behaviour: Behaviour): Names {
  const found = namesOfBehaviours.get(behaviour);
  if (found) return found;
  const names = {
    context: new Set(Object.keys(behaviour.contexts)),
    output: new Set(Object.keys(behaviour.outputs)),
    guard: new Set(Object.keys(behaviour.guards)),
    action: new Set(Object.keys(behaviour.actions)),
    input: new Set(Object.keys(behaviour.inputs)),
    port: new Set(Object.keys(portSchemas)),
  };
  namesOfBehaviours.set(behaviour, names);
  return names;
}

function* namesUsedBy(chart: Chart): Sliced<Names> {
  const used: Names = {
    context: new Set(),
    output: new Set(),
    guard: new Set(),
    action: new Set(),
    input: new Set(),
    port: new Set(),
  };
  const useActions = (actions: readonly Reference[] | undefined) => {
    for (const action of actions ?? []) used.action.add(action.type);
  };
  const charts = [chart];
  for (const each of charts) {
    yield;
    used.context.add(each.context.type);
    used.output.add(each.output.type);
    for (const [index, node] of nodesOf(each).entries()) {
      if (index % nodesPerSlice === nodesPerSlice - 1) yield;
      useActions(node.entry);
      useActions(node.exit);
      for (const invoke of node.invoke ?? []) {
        if (invoke.chart) charts.push(invoke.chart);
        else used.port.add(invoke.src);
        used.input.add(invoke.input.type);
      }
      for (const [, transitions] of transitionLists(node)) {
        for (const { guard, actions } of transitions) {
          if (guard) used.guard.add(guard.type);
          useActions(actions);
        }
      }
    }
  }
  return used;
}
