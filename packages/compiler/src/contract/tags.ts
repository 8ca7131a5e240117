/** Tags of nodes: consumers read them from a snapshot. Explained in docs/contract.md. */

/** The machine waits for the person. */
export const waitingTag = 'waiting';

/** The actor may stay here until an event comes from outside, so it is not a dead end. */
export const restingTag = 'resting';

/** The last call failed, and `turn.retry` makes it again. Comes with `waiting`. */
export const failedTag = 'failed';

/** Drawings leave the node out. */
export const hiddenTag = 'hidden-in-drawings';
