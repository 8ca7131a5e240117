import { writeDuration } from '../testing/test-file.ts';
import { inputMark } from './inputs-of.ts';
import { type Moment, ownEvents } from './moment.ts';
import type { Move } from './player.ts';
import { asAnswer } from './task-endings.ts';

/** The retries of a workflow that a move has shown. */
export interface Retries {
  /** Units: each pause before another attempt, and that no attempt was left. */
  readonly units: readonly string[];
  /** The state that is tried again. */
  readonly retried?: Retried | undefined;
}

/** A state that is tried again, and the error that causes it. */
export interface Retried {
  readonly state: string;
  readonly error: unknown;
}

/**
 * Finds the retries in a move. The definition decides how long each attempt waits, and how many there are.
 *
 * @param before the state that was tried again before the move
 */
export function retriesIn(moment: Moment, move: Move, before: Retried | undefined): Retries {
  const events = ownEvents(moment).flatMap(({ event }) =>
    event.type === 'task.retried' ? [event] : [],
  );
  const units = events.map(
    ({ state, after }) => `${inputMark}${state as string} is tried again${pauseOf(after)}`,
  );
  const last = events.at(-1);
  if (last) return { units, retried: { state: last['state'] as string, error: last['error'] } };
  // Time passes before the next attempt.
  const answer =
    'answer' in move ? move.answer : move.happening.task && asAnswer(move.happening.task);
  if (!('answer' in move) && !answer) return { units, retried: before };
  const { error } = Object(answer?.['fails']) as { readonly error?: unknown };
  const isLast = before !== undefined && error !== undefined && error === before.error;
  return { units: isLast ? [...units, `${inputMark}${before.state} has no attempt left`] : units };
}

/** A pause with jitter differs each time. */
function pauseOf(after: unknown): string {
  return isFixedPause(after) ? ` after ${writeDuration(after)}` : '';
}

/** Whether a pause before a retry is the same each time. */
export function isFixedPause(after: unknown): after is number {
  return Number.isInteger(after) && (after as number) > 0;
}
