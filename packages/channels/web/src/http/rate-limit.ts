import { ChatError } from './chat-error.ts';

export interface Rate {
  readonly perMinute: number;
  /** The largest burst. */
  readonly burst: number;
}

interface Bucket {
  readonly units: number;
  /** When it had them, in milliseconds. */
  readonly at: number;
}

/** Keys that are counted in memory. The least recently used one is forgotten, which fills its bucket. */
const keysMax = 100_000;

/** Limits requests by key, with token buckets. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now monotonic, in milliseconds */
  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /**
   * Counts a request.
   *
   * @throws ChatError with the status 429 and the time after which the request is accepted
   */
  count(key: string): void {
    const { perMinute, burst } = this.#rate;
    const now = this.#now();
    const { units: before, at } = this.#buckets.get(key) ?? { units: burst, at: now };
    const units = Math.min(burst, before + ((now - at) * perMinute) / 60_000);
    // A map keeps the order of insertion.
    this.#buckets.delete(key);
    this.#buckets.set(key, { units: units < 1 ? units : units - 1, at: now });
    if (this.#buckets.size > keysMax) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (units >= 1) return;
    throw new ChatError(429, 'chat/too-many-requests', 'Too many requests. Send it again later.', {
      retryAfterMs: Math.ceil(((1 - units) * 60_000) / perMinute),
    });
  }
}
