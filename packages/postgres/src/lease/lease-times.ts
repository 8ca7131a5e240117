/** The times of a lease, in milliseconds. */
export interface LeaseTimes {
  /** Without a renewal for this long, another host may take the store. It is measured only by the clock of the database. */
  readonly durationMs: number;
  /** The time between two renewals. */
  readonly renewalMs: number;
  /** The holder stops its effects this long before the lease can expire. Covers clocks that run at different speeds. */
  readonly marginMs: number;
  /** The timeout of a statement about the lease. After it, the connection counts as dead, and a new one is tried. */
  readonly answerMs: number;
  /** The longest time between two attempts of a waiting host. */
  readonly pollMs: number;
}

/**
 * A crashed or stalled holder is replaced after at most 3 s, plus the time to open the store. If a connection becomes half-open,
 * a holder has two attempts to renew its lease on a new one.
 */
export const defaultTimes: LeaseTimes = {
  durationMs: 3_000,
  renewalMs: 750,
  marginMs: 500,
  answerMs: 750,
  pollMs: 500,
};

/** The pause after a failed statement, in milliseconds. */
export const retryMs = 200;
