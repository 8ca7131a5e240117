import { type Chart, isRecord } from '@dramaturg/compiler';
import type { Deliverable } from '@dramaturg/react';

/** The deliverables in the tasks of a plan with their known values. For other formats, the collected values. */
export function deliverablesOf(
  chart: Chart,
  known: readonly Deliverable[],
): readonly Deliverable[] {
  const items = new Map<string, Deliverable>();
  const pending = [chart as Pick<Chart, 'meta' | 'states'>];
  for (const { meta, states } of pending) {
    for (const task of listIn(meta?.['tasks'])) {
      for (const { key, description, required } of listIn(task['deliverables'])) {
        if (typeof key !== 'string') continue;
        items.set(key, {
          key,
          required: required === true,
          ...(typeof description === 'string' ? { description } : {}),
        });
      }
    }
    pending.push(...Object.values(states ?? {}));
  }
  for (const item of known) items.set(item.key, { ...items.get(item.key), ...item });
  return [...items.values()];
}

function listIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
