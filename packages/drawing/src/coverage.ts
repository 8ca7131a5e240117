import type { Drawing, Path } from '@dramaturg/compiler';

/** A part of a definition and how often tests have reached it, as `dramaturg test --json --coverage` prints it. */
export interface CountedUnit {
  /** `state` and `transition`; any other kind is a condition at the place of its transition. */
  readonly kind: string;
  /** Where it is in the definition. */
  readonly path: Path;
  readonly hits: number;
}

/** Whether tests have reached a state or an arrow. `partly`: a condition of it was never true or never false. */
export type Reach = 'covered' | 'partly' | 'uncovered';

/** The meaning of each mark, for legends. */
export const reachWords: Readonly<Record<Reach, string>> = {
  covered: 'tests reach it',
  partly: 'tests reach it, and a condition was never true or never false',
  uncovered: 'no test reaches it',
};

/** What tests have reached of a drawing, by the ids of its states and arrows. Those that no author wrote are left out. */
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
  for (const { id, origins = [] } of edges) {
    const own = origins.flatMap((origin) => transitions.get(keyOf(origin)) ?? []);
    if (own.length > 0) found.set(id, reachOf(own));
  }
  return found;
}

/** Transitions with their conditions, by the place of the transition. */
function unitsByTransition(units: readonly CountedUnit[]): ReadonlyMap<string, CountedUnit[]> {
  const found = new Map<string, CountedUnit[]>();
  for (const unit of units) if (unit.kind === 'transition') found.set(keyOf(unit.path), [unit]);
  for (const unit of units) {
    if (unit.kind === 'state' || unit.kind === 'transition') continue;
    // An operand is inside of its transition.
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
