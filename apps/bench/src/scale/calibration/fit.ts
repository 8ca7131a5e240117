import type { SharedCost } from '../costs.ts';

/** One measurement: the cost of a turn, and how many groups were committed for each turn. */
export interface Sample {
  readonly perTurnMs: number;
  readonly groupsPerTurn: number;
}

/** Finds the cost of a turn and of a group by least squares: `perTurnMs = turnMs + groupMs × groupsPerTurn`. */
export function fitSharedCost(samples: readonly Sample[]): SharedCost {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const [meanGroups, meanMs] = [mean((each) => each.groupsPerTurn), mean((each) => each.perTurnMs)];
  const variance = mean((each) => (each.groupsPerTurn - meanGroups) ** 2);
  const covariance = mean((each) => (each.groupsPerTurn - meanGroups) * (each.perTurnMs - meanMs));
  // Neither part may be negative, but noise can make the slope negative.
  const groupMs = Math.max(0, variance === 0 ? 0 : covariance / variance);
  const turnMs = meanMs - groupMs * meanGroups;
  return turnMs >= 0 ? { turnMs, groupMs } : { turnMs: 0, groupMs: meanMs / meanGroups };
}
