import type { HostEvent } from '../instance/event.ts';
import { JournalStream, type JournalStreamOptions } from './journal-stream.ts';

/** Owns the subscriptions to the events after a cursor. */
export class JournalStreams {
  readonly #options: Omit<JournalStreamOptions, 'filter' | 'onEnd'>;
  readonly #streams = new Set<JournalStream>();

  constructor(options: Omit<JournalStreamOptions, 'filter' | 'onEnd'>) {
    this.#options = options;
  }

  get hasSubscribers(): boolean {
    return this.#streams.size > 0;
  }

  subscribe(filter: JournalStreamOptions['filter']): AsyncIterableIterator<HostEvent> {
    const onEnd = () => this.#streams.delete(stream);
    const stream: JournalStream = new JournalStream({ ...this.#options, filter, onEnd });
    if (!filter.signal?.aborted) this.#streams.add(stream);
    return stream;
  }

  /** The journal of an instance has more lines, or was erased. */
  wake(instance: string): void {
    for (const stream of this.#streams) if (stream.instance === instance) stream.wake();
  }

  /** Ends all iterations. */
  end(): void {
    for (const stream of this.#streams) stream.end();
  }
}
