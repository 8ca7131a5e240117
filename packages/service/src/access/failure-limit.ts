import { AccessError } from './access-error.ts';
import { TokenBuckets } from './token-buckets.ts';

/** Networks in memory at most. */
const networksMax = 10_000;

/**
 * Limits how many unknown tokens of a network are looked up. A look-up takes a unit before it begins and returns it when
 * the token was valid, so many guesses at once are not more than the limit. Look-ups that find no unit wait for those that are
 * under way.
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
   * @returns what the look-up has found, undefined for an unknown token
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
      // Tokens cannot be checked now, which says nothing about this one.
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
