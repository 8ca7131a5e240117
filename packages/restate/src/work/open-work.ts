import { isUnknownInstance } from '@dramaturg/host/engine';

export interface OpenWorkOptions {
  /** Asks an instance whether it still waits for a call or a message. */
  readonly ask: (instance: string, letter: string) => Promise<boolean>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** How an order has come to the process. */
export interface Arrival {
  /** By `performance.now()`. */
  readonly receivedAt: number;
  /** Fewer others were there than the process does at the same time, and it has not been tried yet. */
  readonly hasPlace: boolean;
}

/** Work for which there was a place is not asked for when it begins that soon after it has come to the process, in milliseconds. */
const soonMs = 1_000;

/** An older order was probably given to another process before, in milliseconds. Under load, Restate takes seconds to give it. */
const oldMs = 60_000;

/** Without an answer for so long, the work is done, in milliseconds. */
const askMs = 5_000;

/**
 * Knows whether instances still wait for work that begins. News of a withdrawal may be slower than the work, so work that had to
 * wait for a place, or that is repeated, is asked for. Other work costs nothing, also in a process that is slow because it has
 * much to do. The answers come in the order of the questions,
 * so work begins in the order of its lane.
 */
export class OpenWork {
  readonly #options: OpenWorkOptions;
  readonly #startedAt: number;
  /** Settled when all questions so far are answered. */
  #answered: Promise<unknown> = Promise.resolve();

  constructor(options: OpenWorkOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  async isOpen(
    instance: string,
    { letter, at }: { readonly letter: string; readonly at: number },
    { receivedAt, hasPlace }: Arrival,
  ): Promise<boolean> {
    const { now } = this.#options;
    const isSoon = hasPlace && performance.now() - receivedAt <= soonMs;
    if (isSoon && at >= this.#startedAt && now() - at <= oldMs) return true;
    const asked = this.#ask(instance, letter);
    const before = this.#answered;
    this.#answered = before.then(() => asked);
    await before;
    return asked;
  }

  /** Work is done rather twice than never. */
  async #ask(instance: string, letter: string): Promise<boolean> {
    let cancel = () => {};
    const late = new Promise<true>((resolve) => {
      const timer = setTimeout(() => resolve(true), askMs);
      cancel = () => clearTimeout(timer);
    });
    try {
      return await Promise.race([this.#options.ask(instance, letter), late]);
    } catch (error) {
      return !isUnknownInstance(error);
    } finally {
      cancel();
    }
  }
}
