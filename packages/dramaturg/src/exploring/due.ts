import type { Moment, WaitingCall } from './moment.ts';

/** When a waiting call continues by itself, in milliseconds since 1970 UTC; `Infinity` when only a person can answer it. */
export function dueAt({ port, input, repeatAt }: WaitingCall): number {
  return repeatAt ?? (port === 'timer' ? Number(input['at']) : Infinity);
}

/** The time at which something is due next; `Infinity` when nothing is. */
export function nextDue({ waits }: Moment): number {
  return Math.min(Infinity, ...waits.map(dueAt));
}

/** The times at which something is due, in order. */
export function duesOf(waits: readonly WaitingCall[]): readonly number[] {
  const times = waits.map(dueAt).filter((due) => due < Infinity);
  return [...new Set(times)].toSorted((one, other) => one - other);
}

const units = [
  ['weeks', 7 * 24 * 3_600_000],
  ['days', 24 * 3_600_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** Writes milliseconds as an author does: `1 hours 30 minutes`. The inverse of `readDuration`. */
export function writeDuration(milliseconds: number): string {
  let rest = Math.max(1, Math.ceil(milliseconds));
  const parts: string[] = [];
  for (const [name, length] of units) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0)
      parts.push(`${count} ${count === 1 && name.length > 2 ? name.slice(0, -1) : name}`);
  }
  return parts.join(' ');
}
