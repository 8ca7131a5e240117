import type { Reach } from './coverage.ts';
import type { PlacedEdge } from './layout/placed.ts';

/**
 * The mark of a run on a state: the actor is in it, in a state inside it, has been in it, has completed it, may go to it next, or
 * has failed in it.
 */
export type Light = 'current' | 'around' | 'visited' | 'done' | 'next' | 'failed' | 'off';

/** The marks of a run on the states and arrows of a drawing, by their ids. */
export interface Marks {
  readonly lights?: ReadonlyMap<string, Light>;
  /** The arrows that the run has taken. */
  readonly taken?: ReadonlySet<string>;
  /** The progress of states with items or branches: `12/20`. */
  readonly progress?: ReadonlyMap<string, string>;
  /** The coverage of tests, from `coverageOf`. */
  readonly coverage?: ReadonlyMap<string, Reach>;
}

/** The coverage of an arrow, which may represent several arrows of the chart. */
export function arrowReach({ drawn, id }: PlacedEdge, { coverage }: Marks): Reach | undefined {
  const found = new Set(
    [id, ...drawn.map((edge) => edge.id)].flatMap((each) => coverage?.get(each) ?? []),
  );
  const [only] = found;
  return found.size > 1 ? 'partly' : only;
}

/** Whether an arrow was taken, or may be taken next. */
export function arrowLight(
  { drawn, source, target, id }: PlacedEdge,
  { lights = new Map(), taken = new Set() }: Marks,
): 'visited' | 'next' | 'off' {
  if (taken.has(id) || drawn.some((edge) => taken.has(edge.id))) return 'visited';
  const from = [source, ...drawn.flatMap(({ sources = [] }) => sources)].map((end) =>
    lights.get(end),
  );
  const isIn = from.some((light) => light === 'current' || light === 'around');
  return isIn && drawn.length > 0 && source !== target ? 'next' : 'off';
}
