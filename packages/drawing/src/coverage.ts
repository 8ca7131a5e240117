import type { Path } from '@dramaturg/compiler';
import type { Drawing } from '@dramaturg/compiler/chart';

/** A part of a definition and how often tests or runs have reached it, as `dramaturg test --json --coverage` prints it. */
export interface CountedUnit {
  /** `state` and `transition`; any other kind is a condition at the place of its transition. */
  readonly kind: string;
  /** The truth value, for an operand. */
  readonly holds?: boolean;
  /** In the words of the author. */
  readonly label?: string;
  /** Where it is in the definition. */
  readonly path: Path;
  /** The place of one of the states, for a transition that was written once for several states. */
  readonly from?: Path;
  readonly hits: number;
}

/** Whether tests or runs have reached a state or an arrow. `partly`: a condition of it was never true or never false. */
export type Reach = 'covered' | 'partly' | 'uncovered';

/** The meaning of each mark, for legends. */
export const reachWords: Readonly<Record<Reach, string>> = {
  covered: 'reached',
  partly: 'reached, and not from each state, or a condition was never true or never false',
  uncovered: 'never reached',
};

/** The coverage of a drawing, by the ids of its states and arrows. Parts that no author wrote are left out. */
export function coverageOf(
  { nodes, edges }: Drawing,
  units: readonly CountedUnit[],
): ReadonlyMap<string, Reach> {
  const found = new Map<string, Reach>();
  const states = new Map(
    units.flatMap((unit) =>
      unit.kind === 'state' ? [[keyOf(unit.path), unit.hits] as const] : [],
    ),
  );
  for (const { id, origin } of nodes) {
    const hits = origin && states.get(keyOf(origin));
    if (hits !== undefined) found.set(id, hits > 0 ? 'covered' : 'uncovered');
  }
  const transitions = unitsByTransition(units);
  const places = new Map(nodes.map(({ id, origin }) => [id, origin && keyOf(origin)]));
  for (const { id, origins = [], source, sources = [source] } of edges) {
    const own = origins
      .flatMap((origin) => transitions.get(keyOf(origin)) ?? [])
      .filter(({ from }) => !from || sources.some((each) => places.get(each) === keyOf(from)));
    if (own.length > 0) found.set(id, reachOf(own));
  }
  return found;
}

/**
 * The ids of the parts that draw a unit: its state, or the arrows of its transition. For a part that is not drawn, such as a node
 * that an overview leaves out, the innermost drawn part around it.
 */
export function drawnPartsOf(
  { nodes, edges }: Drawing,
  { kind, path }: Pick<CountedUnit, 'kind' | 'path'>,
): readonly string[] {
  for (let { length } = path; length > 0; length -= 1) {
    const key = keyOf(path.slice(0, length));
    const states = nodes.filter(({ origin }) => origin && keyOf(origin) === key);
    const arrows = edges.filter(({ origins = [] }) => origins.some((each) => keyOf(each) === key));
    const found = kind === 'state' ? states : arrows.length > 0 ? arrows : states;
    if (found.length > 0) return found.map(({ id }) => id);
  }
  return [];
}

/** Transitions with their conditions, by the place of the transition. */
function unitsByTransition(units: readonly CountedUnit[]): ReadonlyMap<string, CountedUnit[]> {
  const found = new Map<string, CountedUnit[]>();
  for (const unit of units) {
    if (unit.kind !== 'transition') continue;
    const key = keyOf(unit.path);
    found.set(key, [...(found.get(key) ?? []), unit]);
  }
  for (const unit of units) {
    if (unit.kind === 'state' || unit.kind === 'transition') continue;
    // An operand is inside its transition.
    for (let { length } = unit.path; length > 0; length -= 1) {
      const own = found.get(keyOf(unit.path.slice(0, length)));
      own?.push(unit);
      if (own) break;
    }
  }
  return found;
}

function reachOf(units: readonly CountedUnit[]): Reach {
  const taken = units.filter(({ kind }) => kind === 'transition');
  if (taken.every(({ hits }) => hits === 0)) return 'uncovered';
  return units.every(({ hits }) => hits > 0) ? 'covered' : 'partly';
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}
