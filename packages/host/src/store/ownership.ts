/**
 * The ownership of an open store (H6), which another process may be able to take while this one is stalled or cut off. The store
 * itself refuses every write of an owner that has lost it. The host asks for the rest: for what it does to the outside.
 */
export interface Ownership {
  /** Aborts when another owner has taken the store, with a StoreError `store/lost` as its reason. */
  readonly lost: AbortSignal;
  /** Whether this process has the store, and no other can own it at this instant. Reads only clocks. */
  isCertain(): boolean;
  /**
   * Fulfils when no other process can own the store. Waits while that cannot be found out.
   *
   * @throws `store/lost`, `store/closed`
   */
  confirm(): Promise<void>;
}
