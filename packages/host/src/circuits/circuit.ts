import type { PortInput } from '@dramaturg/compiler';

/** When a circuit opens and closes. */
export type CircuitPolicy = NonNullable<PortInput<'runAgent'>['circuit']>;

/**
 * Decides whether an agent is called at all.
 *
 * States: closed → open, after so many failures in a row → half-open, when the time is up: one call at a time is tried →
 * closed after so many successes, or open again after a failure.
 */
export class Circuit {
  #failures = 0;
  #successes = 0;
  /** Milliseconds since 1970 UTC: when a call is tried again. Absent while the circuit is closed. */
  #openUntil: number | undefined;
  #isTrying = false;

  /** Whether a call may be made now. A call that is admitted ends with `succeeded`, `failed` or `dropped`. */
  admits(now: number): boolean {
    if (this.#openUntil === undefined) return true;
    if (now < this.#openUntil || this.#isTrying) return false;
    this.#isTrying = true;
    return true;
  }

  succeeded({ successes }: CircuitPolicy): void {
    this.#failures = 0;
    if (this.#openUntil === undefined) return;
    this.#isTrying = false;
    this.#successes += 1;
    if (this.#successes >= successes) this.#openUntil = undefined;
  }

  failed({ failures, timeout }: CircuitPolicy, now: number): void {
    this.#failures += 1;
    this.#isTrying = false;
    if (this.#openUntil === undefined && this.#failures < failures) return;
    this.#openUntil = now + timeout;
    this.#successes = 0;
  }

  /** A call was aborted. It counts neither way. */
  dropped(): void {
    this.#isTrying = false;
  }
}
