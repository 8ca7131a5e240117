import type { JsonObject, Path } from '../json.ts';
import type { Chart, ChartNode, ChartTransition } from './chart.ts';
import { chartsOf, nodeName, transitionLists } from './graph.ts';

/** A part of a definition that tests and runs can reach. */
export interface CoverageUnit {
  /** `condition`: a guarded transition that is not taken. `operand`: a truth value of an operand of a compound condition. */
  readonly kind: 'state' | 'transition' | 'condition' | 'operand';
  /** The truth value, for an operand. */
  readonly holds?: boolean;
  /** In the words of the author. */
  readonly label: string;
  /** Where it is in the definition. */
  readonly path: Path;
  /** The place of one of the states, for a transition that the author wrote once for several states. */
  readonly from?: Path;
}

/** The name of a unit in counts: its kind, its place, its truth value and its state. */
export function unitKey({ kind, path, holds, from }: Omit<CoverageUnit, 'label'>): string {
  const source = from === undefined ? '' : ` ${JSON.stringify(from)}`;
  return `${kind}${holds === undefined ? '' : ` ${holds}`} ${JSON.stringify(path)}${source}`;
}

/** The keys of the units that were reached. A transition from one of several states also counts without that state. */
export function reachedKeys(
  units: Iterable<Omit<CoverageUnit, 'label'> & { readonly hits: number }>,
): ReadonlySet<string> {
  const reached = new Set<string>();
  for (const { hits, ...unit } of units) {
    if (hits === 0) continue;
    const { from: _, ...plain } = unit;
    reached.add(unitKey(unit)).add(unitKey(plain));
  }
  return reached;
}

/** Says what an unreached unit lacks, given the keys of the reached units. */
export function missingWords(unit: Omit<CoverageUnit, 'label'>, reached: ReadonlySet<string>) {
  const { kind, path, holds } = unit;
  if (kind !== 'condition' && kind !== 'operand') return `${kind} not reached`;
  const other: Omit<CoverageUnit, 'label'> =
    kind === 'condition' ? { kind: 'transition', path } : { kind, path, holds: holds !== true };
  if (!reached.has(unitKey(other))) return `${kind} never evaluated`;
  return `${kind} never ${String(holds === true)}`;
}

/** All units of a chart, each once, in the order of the definition. Parts that no author wrote have no place and are left out. */
export function unitsOf(chart: Chart): ReadonlyMap<string, CoverageUnit> {
  const units = new Map<string, CoverageUnit>();
  const add = (unit: CoverageUnit) => {
    const key = unitKey(unit);
    if (!units.has(key)) units.set(key, unit);
  };
  for (const each of chartsOf(chart)) {
    const nodes = namedNodesOf(each);
    const isShared = sharedTransitions(nodes);
    for (const { node, author, state } of nodes) {
      const path = originOf(node);
      if (path) add({ kind: 'state', label: author, path });
      for (const [, transitions] of transitionLists(node))
        for (const transition of transitions)
          addTransition(transition, author, isShared(transition) ? state : undefined, add);
    }
  }
  return units;
}

/** The transitions that the author wrote once for several states. */
function sharedTransitions(nodes: readonly NamedNode[]): (transition: ChartTransition) => boolean {
  const states = new Map<string, Set<string>>();
  const keyOf = (transition: ChartTransition) => JSON.stringify(originOf(transition));
  for (const { node, state } of nodes)
    for (const [, transitions] of transitionLists(node))
      for (const transition of transitions) {
        const key = keyOf(transition);
        const own = states.get(key) ?? new Set();
        states.set(key, own.add(JSON.stringify(state)));
      }
  return (transition) => states.get(keyOf(transition))!.size > 1;
}

function addTransition(
  transition: ChartTransition,
  from: string,
  state: Path | undefined,
  add: (unit: CoverageUnit) => void,
): void {
  const path = originOf(transition);
  if (!path) return;
  const label = transition.description ? `${from}: ${transition.description}` : from;
  add({ kind: 'transition', label, path, ...(state ? { from: state } : {}) });
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

interface NamedNode {
  readonly node: ChartNode;
  /** The name of the innermost enclosing state that the author wrote. */
  readonly author: string;
  /** The place of this state. */
  readonly state: Path | undefined;
}

/** Every node of a chart in document order. Iterative, because charts may nest deeper than the stack. */
function namedNodesOf(chart: Chart): readonly NamedNode[] {
  const nodes: NamedNode[] = [];
  const pending: NamedNode[] = [
    { node: chart, author: nodeName(chart, ''), state: originOf(chart) },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes.push(next);
    const { node, author, state } = next;
    for (const [key, child] of Object.entries(node.states ?? {}).toReversed()) {
      const own = originOf(child);
      pending.push(
        own
          ? { node: child, author: nodeName(child, key), state: own }
          : { node: child, author, state },
      );
    }
  }
  return nodes;
}

/** An operand of a compound condition: a part that has no conditions within it. */
export interface ChartOperand {
  /** Where it is in the definition. It distinguishes the operands of a transition. */
  readonly origin: Path;
  /** The condition in words. */
  readonly description: string;
}

/**
 * The operands of a condition, for `meta.operands` of its transition. A condition with a single operand has none: it counts as a
 * whole.
 */
export function operandsMeta(operands: readonly ChartOperand[]): {
  readonly operands?: readonly JsonObject[];
} {
  if (operands.length < 2) return {};
  return { operands: operands.map(({ origin, description }) => ({ origin, description })) };
}

/** The operands of a transition's condition. */
function operandsOf({ meta }: Pick<ChartTransition, 'meta'>): readonly ChartOperand[] {
  return (meta?.['operands'] ?? []) as unknown as readonly ChartOperand[];
}
