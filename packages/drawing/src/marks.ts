import type { Reach } from './coverage.ts';
import type { PlacedEdge } from './layout/placed.ts';

/**
 * What a run says about a state: the actor is in it, in a state inside it, has been in it, has completed it, may go to it
 * next, or has failed in it.
 */
export type Light = 'current' | 'around' | 'visited' | 'done' | 'next' | 'failed' | 'off';

/** What a run says about the states and arrows of a drawing, by their ids. */
export interface Marks {
  readonly lights?: ReadonlyMap<string, Light>;
  /** The arrows that the run has taken. */
  readonly taken?: ReadonlySet<string>;
  /** How far states with items or branches are: `12/20`. */
  readonly progress?: ReadonlyMap<string, string>;
  /** What tests have reached, from `coverageOf`. */
  readonly coverage?: ReadonlyMap<string, Reach>;
}

/** What tests have reached of an arrow, which may stand for several of the chart. */
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
