import type { Chart } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import { priorInstanceTerminal } from '../instance/event.ts';

const known = new WeakMap<Chart, ReadonlySet<string>>();

/** The states of a lifecycle in which an instance waits for its contact to become free. */
export function queueStatesOf(chart: Chart): ReadonlySet<string> {
  const before = known.get(chart);
  if (before) return before;
  const found = new Set<string>();
  const pending: ChartNode[] = [chart];
  for (const { meta, on, states = {} } of pending) {
    const state = meta?.['state'];
    if (typeof state === 'string' && on?.[priorInstanceTerminal]) found.add(state);
    pending.push(...Object.values(states));
  }
  known.set(chart, found);
  return found;
}
