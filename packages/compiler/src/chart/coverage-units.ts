import type { Path } from '../path.ts';
import type { Chart, ChartNode, ChartTransition } from './chart.ts';
import { nodeName } from './node-name.ts';
import { operandsOf } from './operands.ts';
import { chartsOf, transitionLists } from './walk.ts';

/** A part of a definition that tests and runs can reach. */
export interface CoverageUnit {
  /**
   * `condition`: the other way of a guarded transition, which is passed over. `operand`: a truth value of an operand of a compound
   * condition.
   */
  readonly kind: 'state' | 'transition' | 'condition' | 'operand';
  /** Of an operand: the truth value. */
  readonly holds?: boolean;
  /** In the words of the author. */
  readonly label: string;
  /** Where it is in the definition. */
  readonly path: Path;
}

/** The name of a unit in counts: its kind, its place and its truth value. */
export function unitKey({ kind, path, holds }: Omit<CoverageUnit, 'label'>): string {
  return `${kind}${holds === undefined ? '' : ` ${holds}`} ${JSON.stringify(path)}`;
}

/** What a unit that was not reached lacks, given the keys of those that were. */
export function missingWords(unit: Omit<CoverageUnit, 'label'>, reached: ReadonlySet<string>) {
  const { kind, path, holds } = unit;
  if (kind !== 'condition' && kind !== 'operand') return `${kind} not reached`;
  const other: Omit<CoverageUnit, 'label'> =
    kind === 'condition' ? { kind: 'transition', path } : { kind, path, holds: holds !== true };
  if (!reached.has(unitKey(other))) return `${kind} never evaluated`;
  return `${kind} never ${String(holds === true)}`;
}

/** All units of a chart, each once, in the order of the definition. What no author wrote has no place and is left out. */
export function unitsOf(chart: Chart): ReadonlyMap<string, CoverageUnit> {
  const units = new Map<string, CoverageUnit>();
  const add = (unit: CoverageUnit) => {
    const key = unitKey(unit);
    if (!units.has(key)) units.set(key, unit);
  };
  for (const each of chartsOf(chart)) {
    for (const { node, author } of namedNodesOf(each)) {
      const path = originOf(node);
      if (path) add({ kind: 'state', label: author, path });
      for (const [, transitions] of transitionLists(node))
        for (const transition of transitions) addTransition(transition, author, add);
    }
  }
  return units;
}

function addTransition(
  transition: ChartTransition,
  from: string,
  add: (unit: CoverageUnit) => void,
): void {
  const path = originOf(transition);
  if (!path) return;
  const label = transition.description ? `${from}: ${transition.description}` : from;
  add({ kind: 'transition', label, path });
  if (!transition.guard) return;
  add({ kind: 'condition', label, path });
  for (const { origin, description } of operandsOf(transition))
    for (const holds of [true, false])
      add({ kind: 'operand', holds, label: `${from}: ${description}`, path: origin });
}

/** The place in the definition; undefined for the definition as a whole. */
export function originOf({ meta }: Pick<ChartNode, 'meta'>): Path | undefined {
  const origin = meta?.origin;
  return origin && origin.length > 0 ? origin : undefined;
}

/**
 * Every node of a chart in document order, with the name of the state around it that the author wrote. Iterative, because charts may nest
 * deeper than the stack.
 */
function namedNodesOf(chart: Chart): { readonly node: ChartNode; readonly author: string }[] {
  const nodes: { node: ChartNode; author: string }[] = [];
  const pending = [{ node: chart as ChartNode, author: nodeName(chart, '') }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes.push(next);
    const { node, author } = next;
    for (const [key, child] of Object.entries(node.states ?? {}).toReversed())
      pending.push({ node: child, author: originOf(child) ? nodeName(child, key) : author });
  }
  return nodes;
}
