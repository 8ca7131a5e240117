import type { HostEvent } from '../instance/event.ts';
import type { PartOrigin } from './reply-parts.ts';
import { JournalStream, type JournalStreamOptions } from './journal-stream.ts';

/** Owns the subscriptions to an instance's events after a cursor. */
export class JournalStreams {
  readonly #options: Omit<JournalStreamOptions, 'filter' | 'onEnd'>;
  readonly #streams = new Set<JournalStream>();

  constructor(options: Omit<JournalStreamOptions, 'filter' | 'onEnd'>) {
    this.#options = options;
  }

  get hasSubscribers(): boolean {
    return this.#streams.size > 0;
  }

  /** @param parts the replies that are being made */
  subscribe(
    filter: JournalStreamOptions['filter'],
    parts: readonly HostEvent[] = [],
  ): AsyncIterableIterator<HostEvent> {
    const onEnd = () => this.#streams.delete(stream);
    const stream: JournalStream = new JournalStream({ ...this.#options, filter, onEnd });
    if (!filter.signal?.aborted) this.#streams.add(stream);
    for (const part of parts) stream.pushPart(part);
    return stream;
  }

  /** Notes that the journal of an instance has more lines, or was erased. */
  wake(instance: string): void {
    for (const stream of this.#streams) if (stream.instance === instance) stream.wake();
  }

  publishPart(part: HostEvent): void {
    for (const stream of this.#streams) stream.pushPart(part);
  }

  dropPart(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    for (const stream of this.#streams) stream.dropPart(origin);
  }

  /** Ends all iterations. */
  end(): void {
    for (const stream of this.#streams) stream.end();
  }
}
