import type { HostEvent } from '../instance/event.ts';
import { StoreError } from '../store/errors.ts';
import { type EventFilter, isOfTypes } from './event-streams.ts';
import { partId, type PartOrigin } from './reply-parts.ts';

type Result = IteratorResult<HostEvent, undefined>;

interface StoredStreamOptions {
  readonly filter: EventFilter;
  readonly onEnd: () => void;
}

/** The host has stopped, or has lost its store. */
const endings: readonly string[] = ['store/closed', 'store/lost'];

/**
 * A stream of events that are read from the store as fast as the subscriber takes them: none is missing, none comes twice, and a
 * slow subscriber takes no memory. Parts of replies, which are not stored, come after the events that were stored before them.
 *
 * Owns the unread parts. States: open → ended.
 */
export abstract class StoredStream implements AsyncIterableIterator<HostEvent> {
  protected readonly filter: EventFilter;
  protected readonly parts = new UnreadParts();
  protected isOver: boolean;
  /** Whether there may be unread events. */
  protected hasNews = true;
  readonly #onEnd: () => void;
  readonly #events: AsyncGenerator<HostEvent, undefined>;
  #wake = (): void => {};

  constructor({ filter, onEnd }: StoredStreamOptions) {
    this.filter = filter;
    this.#onEnd = onEnd;
    this.isOver = filter.signal?.aborted === true;
    this.#events = this.#follow();
    filter.signal?.addEventListener('abort', this.end);
  }

  /** Gives the events until the stream ends. */
  protected abstract all(): AsyncGenerator<HostEvent, void>;

  /** Notes that the store may have more events. */
  wake(): void {
    this.hasNews = true;
    this.#wake();
  }

  /** Adds a part of a reply. */
  pushPart(part: HostEvent): void {
    if (this.isOver || !isOfTypes(part.event.type, this.filter.types)) return;
    this.parts.add(part);
    this.wake();
  }

  /** Drops the parts of a reply that is stored, or whose call has failed. */
  dropPart(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    this.parts.drop(origin);
  }

  readonly end = (): void => {
    this.isOver = true;
    this.filter.signal?.removeEventListener('abort', this.end);
    this.#onEnd();
    this.wake();
  };

  next(): Promise<Result> {
    return this.#events.next();
  }

  async return(): Promise<Result> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @param atMostMs looks again after this time, also without news */
  protected async news(atMostMs?: number): Promise<void> {
    if (this.hasNews || this.isOver) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (atMostMs !== undefined) timer = setTimeout(resolve, atMostMs);
    });
    clearTimeout(timer);
  }

  async *#follow(): AsyncGenerator<HostEvent, undefined> {
    try {
      if (!this.isOver) yield* this.all();
    } catch (error) {
      const hasClosed = error instanceof StoreError && endings.includes(error.code);
      if (!this.isOver && !hasClosed) throw error;
    } finally {
      this.end();
    }
    return undefined;
  }
}

/**
 * Owns the parts of replies that a stream of stored events has not given yet. Parts of one reply are joined, so their memory is
 * bounded by the replies in progress.
 */
class UnreadParts {
  readonly #parts = new Map<string, HostEvent>();

  add(part: HostEvent): void {
    const id = idOf(part);
    const before = this.#parts.get(id);
    const joined = before && join(before, part);
    this.#parts.set(id, joined ?? part);
  }

  drop(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    this.#parts.delete(partId(origin));
  }

  /** The replies with parts. Has to be called before the stored events are read. */
  ready(): readonly string[] {
    return [...this.#parts.keys()];
  }

  /** Gives the parts of these replies, after the stored events before them. */
  *take(ready: readonly string[]): Generator<HostEvent, void> {
    for (const id of ready) {
      const part = this.#parts.get(id);
      this.#parts.delete(id);
      if (part) yield part;
    }
  }
}

/** @returns undefined when the second part starts the text again */
function join(one: HostEvent, other: HostEvent): HostEvent | undefined {
  const [before, after] = [String(one.event['text']), String(other.event['text'])];
  const offset = Number(one.event['offset']);
  if (Number(other.event['offset']) !== offset + before.length) return undefined;
  return { ...one, event: { ...one.event, text: before + after } };
}

function idOf({ instance, event }: HostEvent): string {
  return partId({ instance, key: String(event['key']) });
}
