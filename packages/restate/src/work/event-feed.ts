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
  /** How many journal lines of an instance are stored; undefined when there is no such instance. */
  readonly storedLines: (instance: string) => Promise<number | undefined>;
}

/** The pause between two looks at an instance, in milliseconds. It doubles up to the longest. */
const pauses = { first: 2, longest: 200 };

/**
 * Gives events to subscribers once they are stored. A handler decides them before Restate has stored them, and may be called
 * again. Restate is asked only while there is a subscriber.
 *
 * Owns the events that are not known to be stored, by their instance. A write is given once, however often its handler was
 * called.
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
