import { AccessError } from './access-error.ts';

/** Maximum number of networks in memory. */
const networksMax = 10_000;

/**
 * Limits how many unknown tokens of a network are looked up. A look-up takes a unit before it begins and returns it when the
 * token is valid, so simultaneous guesses cannot exceed the limit. A look-up that finds no unit waits for the running ones.
 */
export class FailureLimit {
  readonly #buckets: TokenBuckets;
  readonly #rate: { readonly capacity: number; readonly perMinute: number };
  readonly #underWay = new Map<string, Set<Promise<unknown>>>();

  constructor(perMinute: number, now: () => number) {
    this.#buckets = new TokenBuckets(networksMax, now);
    this.#rate = { capacity: perMinute, perMinute };
  }

  /**
   * @returns the result of the look-up, undefined for an unknown token
   * @throws AccessError `access/too-many-failures`
   */
  async lookUp<Found>(
    network: string,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    await this.#takeUnit(network);
    const looking = lookUp();
    const settled = looking.catch(() => {});
    this.#begin(network, settled);
    try {
      const found = await looking;
      if (found !== undefined) this.#buckets.give(network, this.#rate);
      return found;
    } catch (error) {
      // Tokens cannot be checked now: this one may be valid.
      this.#buckets.give(network, this.#rate);
      throw error;
    } finally {
      this.#end(network, settled);
    }
  }

  async #takeUnit(network: string): Promise<void> {
    for (;;) {
      const waitMs = this.#buckets.take(network, this.#rate);
      if (waitMs === 0) return;
      const underWay = this.#underWay.get(network);
      if (!underWay) throw tooManyFailures(waitMs);
      await Promise.race(underWay);
    }
  }

  #begin(network: string, settled: Promise<unknown>): void {
    const underWay = this.#underWay.get(network) ?? new Set();
    this.#underWay.set(network, underWay.add(settled));
  }

  #end(network: string, settled: Promise<unknown>): void {
    const underWay = this.#underWay.get(network);
    underWay?.delete(settled);
    if (underWay?.size === 0) this.#underWay.delete(network);
  }
}

function tooManyFailures(waitMs: number): AccessError {
  return new AccessError(
    429,
    'access/too-many-failures',
    'Too many requests from this address had unknown tokens.',
    {
      hint: 'Wait as long as the header "retry-after" says.',
      headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
    },
  );
}

interface Bucket {
  readonly units: number;
  /** The time at which the bucket had them, in milliseconds. */
  readonly at: number;
}

interface Rate {
  /** The largest burst of units. */
  readonly capacity: number;
  readonly perMinute: number;
}

/** Token buckets by key. At most `bucketsMax` are in memory: the least recently used one is forgotten, which fills it. */
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
