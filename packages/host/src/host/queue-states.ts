import type { Chart, ChartNode } from '@dramaturg/compiler';

/** Told to an instance when no other holds its contact any more, and it is the first in the line. */
export const nextInLine = 'prior_instance_terminal';

const known = new WeakMap<Chart, ReadonlySet<string>>();

/** The states of a lifecycle in which an instance waits for its contact to become free. */
export function queueStatesOf(chart: Chart): ReadonlySet<string> {
  const before = known.get(chart);
  if (before) return before;
  const found = new Set<string>();
  const pending: ChartNode[] = [chart];
  for (const { meta, on, states = {} } of pending) {
    const state = meta?.['state'];
    if (typeof state === 'string' && on?.[nextInLine]) found.add(state);
    pending.push(...Object.values(states));
  }
  known.set(chart, found);
  return found;
}
