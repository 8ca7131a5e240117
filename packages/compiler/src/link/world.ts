import { nextTurn } from '../next-turn.ts';
import type { Path } from '../json.ts';

/** The sources of time and chance. Set when a chart is linked, so that tests can replace them. */
export interface World {
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** The time zone of the current instance, such as `Europe/Berlin`. UTC when left out. */
  readonly timeZone?: () => string;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** A random UUID, version 4. */
  readonly uuid: () => string;
  /** Resolves in the next turn of the event loop. Without it, work on many items blocks the event loop until it waits. */
  readonly nextTurn?: () => Promise<void>;
  /** The current evaluation, if a thread may do long ones. */
  readonly apart?: () => Apart | undefined;
  /**
   * Receives each operand of a compound condition when it is evaluated, for coverage. It must not change any decision.
   *
   * @param at its place in the definition; in a guard, from the place of its transition
   */
  readonly onOperand?: (at: Path, holds: boolean) => void;
}

/** An evaluation that a thread may do, or that the step does when it is decided again. */
export interface Apart {
  /** The answer of the thread, or of an earlier attempt of the step; undefined when there is none. */
  readonly answer: unknown;
  /** Keeps the answer for when the step is decided again. */
  readonly keep: (answer: unknown) => void;
  /**
   * Ends the current step, which is decided again.
   *
   * @param units the work that the evaluation has taken so far
   */
  readonly leave: (task: ThreadTask, units: number) => void;
}

/** Work for a thread. */
export interface ThreadTask {
  /** The address of a module; its function `answer` does the work. */
  readonly module: string;
  readonly input: unknown;
}

export const realWorld: World = {
  now: () => Date.now(),
  random: () => Math.random(),
  uuid: () => crypto.randomUUID(),
  nextTurn,
};
