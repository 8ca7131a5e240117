import { isRecord, type Json } from '@dramaturg/compiler';
import { Walk } from './follow-steps.ts';
import type { Path, Step } from './path.ts';
import type { PathWork } from './work.ts';

export type Found = { readonly found: true; readonly value: Json } | { readonly found: false };

const nothing: Found = { found: false };

/** A step that leads to one place, in all dialects the same. */
export type Plain = Step & { kind: 'name' | 'index' };

export function isPlain(step: Step): step is Plain {
  return step.kind === 'name' || (step.kind === 'index' && step.index >= 0);
}

/** Follows names and indexes. Undefined where they lead nowhere. */
export function followPlain(start: Json | undefined, steps: readonly Plain[]): Json | undefined {
  let value = start;
  for (const step of steps) {
    value = step.kind === 'name' ? fieldOf(value, step.name) : itemOf(value, step.index);
    if (value === undefined) return undefined;
  }
  return value;
}

export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function itemOf(value: Json | undefined, index: number): Json | undefined {
  return Array.isArray(value) ? value[index] : undefined;
}

/**
 * Follows a path with any steps. A path that is not definite gives a list, which may be empty.
 *
 * @param countsFromEnd whether negative indexes count from the end
 */
export function follow(
  { steps, isDefinite }: Path,
  start: Json | undefined,
  work: PathWork,
  countsFromEnd: boolean,
): Found {
  if (start === undefined) return nothing;
  const walk = new Walk(steps, start, work, countsFromEnd);
  if (walk.take(0, start) !== 'done') return nothing;
  if (!isDefinite) return { found: true, value: walk.values };
  return walk.values.length === 0 ? nothing : { found: true, value: walk.values[0]! };
}
