import { quantile } from '../host/times.ts';
import type { Contender } from './contender.ts';

/** What a contender did under a load: turns a second, and how long a turn took in milliseconds. */
export interface LoadResult {
  readonly turns: number;
  readonly p50: number;
  readonly p99: number;
  /** How many turns that were. */
  readonly count: number;
}

/**
 * A fixed number of senders that send their next message when the receipt of the one before is stored. They share the
 * conversations evenly, and no conversation has two messages at a time.
 */
export class Load {
  readonly #contender: Contender;
  /** Conversations without a message, the one that rested longest first. */
  readonly #resting: { readonly id: string; turn: number }[];

  constructor(contender: Contender, ids: readonly string[]) {
    this.#contender = contender;
    this.#resting = ids.map((id) => ({ id, turn: 0 }));
  }

  /**
   * @param inFlight the number of senders
   * @param forMs no message is sent after this time
   */
  async run(inFlight: number, forMs: number): Promise<LoadResult> {
    const times: number[] = [];
    const start = performance.now();
    const send = async () => {
      while (performance.now() - start < forMs) {
        const conversation = this.#resting.shift()!;
        conversation.turn += 1;
        const sentAt = performance.now();
        await this.#contender.turn(conversation.id, conversation.turn);
        times.push(performance.now() - sentAt);
        this.#resting.push(conversation);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, send));
    const seconds = (performance.now() - start) / 1000;
    return {
      turns: times.length / seconds,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      count: times.length,
    };
  }
}
