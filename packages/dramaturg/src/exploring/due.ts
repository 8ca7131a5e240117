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
