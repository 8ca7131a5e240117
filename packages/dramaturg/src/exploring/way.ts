import type { Beginning } from './moment.ts';
import type { Move } from './player.ts';

/** A way into the definition: its beginning and its moves. */
export interface Way {
  readonly beginning: Beginning;
  readonly moves: readonly Move[];
  /** Everything that it reaches. */
  readonly units: ReadonlySet<string>;
  /** Whether the last move is refused. */
  readonly isRefused?: boolean;
  /** Whether the search of a lifecycle has found it, which answers more calls with moves of their own. */
  readonly isOfLifecycle?: boolean;
}

/** Marks ways that end with a failed workflow: others are better examples. */
export const failedMark = 'input failed';
