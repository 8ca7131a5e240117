import type { Beginning } from './moment.ts';
import type { Move } from './player.ts';

/** A way into the definition: what it begins with, and the moves. */
export interface Way {
  readonly beginning: Beginning;
  readonly moves: readonly Move[];
  /** Everything that it reaches. */
  readonly units: ReadonlySet<string>;
  /** The last move is refused. */
  readonly isRefused?: boolean;
  /** It was found by the search of a lifecycle, which answers more calls by moves of their own. */
  readonly isOfLifecycle?: boolean;
}

/** Marks ways that end with a failed workflow: others are better examples. */
export const failedMark = 'input failed';
