import { type Chart, isRecord } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';

const known = new WeakMap<Chart, ReadonlyMap<string, string>>();

/** The resources that the tasks of a workflow call, by the names of their states. */
export function resourcesIn(chart: Chart): ReadonlyMap<string, string> {
  const found = known.get(chart) ?? new Map(statesIn(chart, 'Resource'));
  known.set(chart, found);
  return found;
}

/** The states of a workflow that have a string in a field, with the string. */
function statesIn(chart: Chart, field: string): (readonly [state: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  const pending: unknown[] = [chart];
  for (const part of pending) {
    if (typeof part !== 'object' || part === null) continue;
    const { title, state } = (part as ChartNode).meta ?? {};
    const value = isRecord(state) ? state[field] : undefined;
    if (typeof title === 'string' && typeof value === 'string') found.push([title, value]);
    pending.push(...Object.values(part));
  }
  return found;
}
