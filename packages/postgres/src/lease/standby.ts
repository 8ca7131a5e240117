import type { Holder } from './holder.ts';
import type { WaitOptions } from './candidate.ts';

/** How a host waits for a store that another host has. */
export interface StandbyOptions {
  /**
   * Called when the waiting begins, and each time another host has taken the store, with that host. Undefined when the store is
   * free at this moment.
   */
  readonly onWaiting?: (holder: Holder | undefined) => void;
  /** Called once when the database does not answer. The waiting goes on. */
  readonly onUnreachable?: (error: unknown) => void;
  /**
   * Milliseconds that the store has been free before this host takes it; asked each time. A process that serves many stores lets
   * others go first: `() => 50 * hosts.size`.
   */
  readonly delayMs?: () => number;
  /** Ends the waiting: `open`, and so `createHost`, rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** @throws the reason of the signal that has ended the waiting */
export function throwIfWaitingEnded(standby: boolean | StandbyOptions | undefined): void {
  if (typeof standby === 'object') standby.signal?.throwIfAborted();
}

/** @returns undefined when a store that is in use is refused */
export function waitOptionsOf(
  standby: boolean | StandbyOptions | undefined,
): WaitOptions | undefined {
  if (standby === undefined || standby === false) return undefined;
  if (standby === true) return {};
  const { onWaiting, ...rest } = standby;
  return { ...rest, ...(onWaiting && { onWaiting: ({ holder }) => onWaiting(holder) }) };
}
