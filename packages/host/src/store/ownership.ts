/**
 * The ownership of an open store that another process can take while this one is stalled or cut off (H6). The store itself
 * refuses every write of an owner that has lost it. The host asks for the rest: for what it does to the outside.
 */
export interface Ownership {
  /** Aborts when another owner has taken the store, with a StoreError `store/lost` as its reason. */
  readonly lost: AbortSignal;
  /** Whether no other process can own the store at this instant. Reads only clocks. */
  isCertain(): boolean;
  /**
   * Fulfils when no other process can own the store. Waits while that cannot be found out.
   *
   * @throws `store/lost`, `store/closed`
   */
  confirm(): Promise<void>;
}
