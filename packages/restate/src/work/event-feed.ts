import type { HostEvent } from '@dramaturg/host';

/** The events of one write, and the numbers of journal lines that its instance has before and after it. */
export interface WrittenEvents {
  readonly instance: string;
  readonly from: number;
  readonly lines: number;
  readonly events: readonly HostEvent[];
}

export interface EventFeedOptions {
  readonly hasSubscribers: () => boolean;
  readonly publish: (written: WrittenEvents) => void;
  /** The number of stored journal lines of an instance; undefined if it does not exist. */
  readonly storedLines: (instance: string) => Promise<number | undefined>;
}

/** The pause between two polls of an instance, in milliseconds. It doubles up to the longest. */
const pauses = { first: 2, longest: 200 };

/**
 * Gives events to subscribers once they are stored. A handler decides events before Restate stores them, and may be called again.
 * Restate is polled only while there is a subscriber.
 *
 * Owns the events that may not be stored yet, by instance. A write is given once, even if its handler was called several times.
 */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #unstored = new Map<string, WrittenEvents[]>();
  #isStopped = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  publish(written: WrittenEvents): void {
    if (written.events.length === 0 || !this.#options.hasSubscribers()) return;
    const { instance, lines } = written;
    const waiting = this.#unstored.get(instance);
    if (!waiting) {
      this.#unstored.set(instance, [written]);
      void this.#watch(instance);
    } else if (!waiting.some((other) => other.lines === lines)) waiting.push(written);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #watch(instance: string): Promise<void> {
    const waiting = this.#unstored.get(instance)!;
    for (let pause = pauses.first; waiting.length > 0 && !this.#isStopped;) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const stored = await this.#storedLines(instance);
      const count = waiting.filter(({ lines }) => lines <= stored).length;
      for (const written of waiting.splice(0, count)) this.#options.publish(written);
      pause = count > 0 ? pauses.first : Math.min(pause * 2, pauses.longest);
    }
    this.#unstored.delete(instance);
  }

  /** While Restate cannot be reached, nothing is known to be stored. */
  async #storedLines(instance: string): Promise<number> {
    try {
      return (await this.#options.storedLines(instance)) ?? Infinity;
    } catch {
      return -1;
    }
  }
}
