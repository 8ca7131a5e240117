import type { Chart } from '@dramaturg/compiler';

const known = new WeakMap<Chart, ReadonlySet<string>>();

/** The types of events that the author of a definition lets it emit. */
export function emittedBy(chart: Chart): ReadonlySet<string> {
  const types = known.get(chart) ?? new Set(eventsIn(chart));
  known.set(chart, types);
  return types;
}

function eventsIn(chart: Chart): readonly string[] {
  const found: string[] = [];
  const pending: unknown[] = [chart];
  for (const part of pending) {
    if (typeof part !== 'object' || part === null) continue;
    const { type, params } = part as { readonly type?: unknown; readonly params?: unknown };
    const { event } = Object(params) as { readonly event?: unknown };
    if (type === 'emit' && typeof event === 'string') found.push(event);
    pending.push(...Object.values(part));
  }
  return found;
}
