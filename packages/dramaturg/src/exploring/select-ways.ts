import { failedMark, type Way } from './way.ts';

/** A way with the units that it is kept for. */
export interface ChosenWay extends Way {
  /** Units that no way chosen before it reaches. */
  readonly reasons: readonly string[];
}

/**
 * Chooses few ways that reach all goals: each time the way to most of the remaining ones, and of several the shortest.
 *
 * @param ways a way to each unit
 * @param goals the units that have to be reached, in the order of the definition
 */
export function selectWays(
  ways: ReadonlyMap<string, Way>,
  goals: Iterable<string>,
): readonly ChosenWay[] {
  const missing = new Set([...goals].filter((goal) => ways.has(goal)));
  const candidates = new Set([...missing].map((goal) => ways.get(goal)!));
  const chosen: ChosenWay[] = [];
  while (missing.size > 0) {
    let best: { readonly way: Way; readonly reasons: readonly string[] } | undefined;
    for (const way of candidates) {
      const reasons = [...missing].filter((goal) => way.units.has(goal));
      if (reasons.length === 0) candidates.delete(way);
      else if (!best || isBetter(reasons, way, best)) best = { way, reasons };
    }
    if (!best) break;
    candidates.delete(best.way);
    for (const reason of best.reasons) missing.delete(reason);
    chosen.push({ ...best.way, reasons: best.reasons });
  }
  return chosen;
}

function isBetter(
  reasons: readonly string[],
  { moves, units }: Way,
  best: { readonly way: Way; readonly reasons: readonly string[] },
): boolean {
  if (reasons.length !== best.reasons.length) return reasons.length > best.reasons.length;
  const hasFailed = units.has(failedMark);
  if (hasFailed !== best.way.units.has(failedMark)) return !hasFailed;
  return moves.length < best.way.moves.length;
}
