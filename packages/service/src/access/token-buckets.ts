interface Bucket {
  readonly units: number;
  /** The time at which it had them, in milliseconds. */
  readonly at: number;
}

interface Rate {
  /** The largest burst. */
  readonly capacity: number;
  readonly perMinute: number;
}

/**
 * Token buckets by key, of which at most `bucketsMax` are in memory. The least recently used bucket is forgotten, which
 * fills it.
 */
export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();
  readonly #bucketsMax: number;
  readonly #now: () => number;

  /** @param now monotonic, in milliseconds */
  constructor(bucketsMax: number, now: () => number) {
    this.#bucketsMax = bucketsMax;
    this.#now = now;
  }

  /** Takes one unit. Returns 0, or the milliseconds after which there will be one. */
  take(key: string, rate: Rate): number {
    const units = this.#unitsOf(key, rate);
    this.#store(key, units < 1 ? units : units - 1);
    return waitFor(units, rate);
  }

  /** Returns a unit that was taken. */
  give(key: string, rate: Rate): void {
    this.#store(key, Math.min(rate.capacity, this.#unitsOf(key, rate) + 1));
  }

  #unitsOf(key: string, { capacity, perMinute }: Rate): number {
    const bucket = this.#buckets.get(key);
    if (!bucket) return capacity;
    const elapsed = Math.max(0, this.#now() - bucket.at);
    return Math.min(capacity, bucket.units + (elapsed * perMinute) / 60_000);
  }

  #store(key: string, units: number): void {
    // A map keeps the order of insertion, so the first key is the least recently used one.
    this.#buckets.delete(key);
    this.#buckets.set(key, { units, at: this.#now() });
    if (this.#buckets.size <= this.#bucketsMax) return;
    const [oldest] = this.#buckets.keys();
    this.#buckets.delete(oldest!);
  }
}

function waitFor(units: number, { perMinute }: Rate): number {
  return units >= 1 ? 0 : Math.ceil(((1 - units) * 60_000) / perMinute);
}
