import { backoff } from './backoff.ts';
import type { Schedule } from './schedule.ts';

export interface CircuitBreakerOptions {
  readonly schedule: Schedule;
  readonly random: () => number;
  /** Called when the state changes. `open` admits nothing, `half-open` one probe, `closed` everything. */
  readonly onChange: (state: BreakerState) => void;
}

export type BreakerState = 'closed' | 'open' | 'half-open';

/** How many conversations have to fail in a row for an outage. One that fails is not an outage. */
const conversationsMax = 5;

/**
 * Detects an outage, so that waiting calls are not tried in vain again and again.
 *
 * States: closed → open, when the calls of five conversations have failed without a success in between → half-open, after a pause
 * with exponential backoff → closed after a success, or open after a failure.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #state: BreakerState = 'closed';
  /** The conversations that have failed since the last success. */
  readonly #failed = new Set<string>();
  /** How often it has opened since it was closed. */
  #openings = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  succeeded(): void {
    this.#failed.clear();
    this.#openings = 0;
    if (this.#state !== 'closed') this.#become('closed');
  }

  failed(conversation: string): void {
    // Calls that began before it opened say nothing new.
    if (this.#state === 'open') return;
    if (this.#state === 'closed') {
      this.#failed.add(conversation);
      if (this.#failed.size < conversationsMax) return;
    }
    this.#failed.clear();
    this.#openings += 1;
    const { schedule, random } = this.#options;
    this.#become('open');
    schedule.after(backoff(this.#openings, random), () => {
      if (this.#state === 'open') this.#become('half-open');
    });
  }

  #become(state: BreakerState): void {
    this.#state = state;
    this.#options.onChange(state);
  }
}
