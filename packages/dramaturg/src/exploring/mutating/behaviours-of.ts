import { usualStart } from '../../testing/stage-options.ts';
import { beginningsOf } from '../beginnings.ts';
import type { Moment } from '../moment.ts';
import type { Rehearsal } from '../rehearsal.ts';
import { Search, type SearchBounds } from '../search.ts';
import { type Behaviours, seenAt, type TriedMove } from './comparison.ts';

/** The behaviour of a definition within a bound: every move that a search tries, whether or not it reaches something new. */
export async function behavioursOf(
  rehearsal: Rehearsal,
  bounds: SearchBounds,
): Promise<Behaviours> {
  const { branches, player, vocabulary } = rehearsal;
  const tried: TriedMove[] = [];
  const indexes = new Map<Moment, number>();
  const { endedAt } = await new Search({
    branches,
    player,
    vocabulary,
    bounds,
    startAt: usualStart,
    takeUnits: () => new Set(),
    // The search continues to its bound.
    goals: new Set(['never reached']),
    outside: rehearsal.outside,
    beginnings: beginningsOf(rehearsal),
    onTried: ({ moment, before, beginning, move }) => {
      indexes.set(moment, tried.length);
      const seen = seenAt(moment, rehearsal);
      const after = before && indexes.get(before);
      tried.push(
        after === undefined ? { beginning, seen } : { after, ...(move ? { move } : {}), seen },
      );
    },
  }).run();
  return { tried, isComplete: endedAt === undefined };
}
