import type { Chart } from '@dramaturg/compiler';
import { unitKey, unitsOf } from '@dramaturg/compiler/chart';
import type { CountedUnit } from '@dramaturg/react';
import type { Reached } from './reached.ts';

/**
 * The states and transitions of a chart, with the number of runs that have reached each. Conditions are left out, because a run does not
 * record the operands that it asks.
 *
 * @param definition of the actor with the chart, as in `RecordedActor`
 */
export function countedUnits(
  chart: Chart,
  definition: string,
  runs: readonly Reached[],
): readonly CountedUnit[] {
  return [...unitsOf(chart).values()]
    .filter(({ kind }) => kind === 'state' || kind === 'transition')
    .map((unit) => {
      const key = unitKey(unit);
      return { ...unit, hits: runs.filter((run) => run.get(definition)?.has(key)).length };
    });
}
