import type { Chart } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';

/** Why a lifecycle is suspended: an operator has paused it, or it asks for a person. */
export type Suspension = 'paused' | 'needsPerson';

const known = new WeakMap<Chart, ReadonlyMap<string, Suspension>>();

/** The suspended states of a lifecycle. From a paused state, a transition leads back to the previous state. */
export function suspensionsOf(chart: Chart): ReadonlyMap<string, Suspension> {
  const before = known.get(chart);
  if (before) return before;
  const found = new Map<string, Suspension>();
  const pending: ChartNode[] = [chart];
  for (const { meta, states = {} } of pending) {
    const { state, kind, returns } = meta ?? {};
    if (typeof state === 'string' && kind === 'suspended')
      found.set(state, returns === true ? 'paused' : 'needsPerson');
    pending.push(...Object.values(states));
  }
  known.set(chart, found);
  return found;
}
