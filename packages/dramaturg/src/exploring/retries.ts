import { writeDuration } from './due.ts';
import { inputMark } from './inputs-of.ts';
import { type Moment, ownEvents } from './moment.ts';
import type { Move } from './player.ts';
import { asAnswer } from './task-endings.ts';

/** What a move has shown about the retriers of a workflow. */
export interface Retries {
  /** Units: each pause before another attempt, and that no attempt was left. */
  readonly units: readonly string[];
  /** What is tried again. */
  readonly retried?: Retried | undefined;
}

/** A state that is tried again, and the error because of which it is. */
export interface Retried {
  readonly state: string;
  readonly error: unknown;
}

/**
 * Looks at the retriers of the states in a move: how long each attempt waits, and how many there are, is decided by the definition.
 *
 * @param before what was tried again before the move
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

/** A pause with jitter is another one each time. */
function pauseOf(after: unknown): string {
  return isFixedPause(after) ? ` after ${writeDuration(after)}` : '';
}

/** Whether a pause before a retry is the same each time. */
export function isFixedPause(after: unknown): after is number {
  return Number.isInteger(after) && (after as number) > 0;
}
