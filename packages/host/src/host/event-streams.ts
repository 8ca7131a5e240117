import { HostError } from '../errors.ts';
import type { HostEvent } from '../instance/event.ts';
import { EventLengths } from './event-lengths.ts';

export interface EventFilter {
  readonly instance?: string;
  /** Also events of all descendants of the instance. */
  readonly descendants?: boolean;
  /** Event types. `message.*` matches all types that begin with `message.`. */
  readonly types?: readonly string[];
}

/**
 * A subscriber with more unread events, or with longer ones, is dropped, because memory is bounded. An object that several of
 * them share counts once.
 */
export const unreadMax = { events: 10_000, characters: 8_000_000 };

/** Owns the subscriptions to events. */
export class EventStreams {
  readonly #streams = new Set<EventStream>();

  get hasSubscribers(): boolean {
    return this.#streams.size > 0;
  }

  subscribe(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    const stream = new EventStream(filter, () => this.#streams.delete(stream));
    this.#streams.add(stream);
    return stream;
  }

  publish(events: readonly HostEvent[]): void {
    for (const stream of this.#streams) for (const event of events) stream.push(event);
  }

  /** Ends all iterations after their unread events. */
  end(): void {
    for (const stream of this.#streams) stream.end();
  }
}

type Result = IteratorResult<HostEvent, undefined>;

/** States: open; ended, when unread events can still be read; failed, when the subscriber was too slow. */
class EventStream implements AsyncIterableIterator<HostEvent> {
  readonly #filter: EventFilter;
  readonly #onEnd: () => void;
  #unread: { readonly event: HostEvent; readonly length: number }[] = [];
  #unreadLength = 0;
  readonly #lengths = new EventLengths();
  #waiting: { resolve: (result: Result) => void }[] = [];
  #isOver = false;
  #error: HostError | undefined;

  constructor(filter: EventFilter, onEnd: () => void) {
    this.#filter = filter;
    this.#onEnd = onEnd;
  }

  push(event: HostEvent): void {
    if (this.#isOver || !this.#wants(event)) return;
    const reader = this.#waiting.shift();
    if (reader) return reader.resolve({ done: false, value: event });
    const length = this.#lengths.add(event);
    this.#unread.push({ event, length });
    this.#unreadLength += length;
    const { events, characters } = unreadMax;
    if (this.#unread.length <= events && this.#unreadLength <= characters) return;
    this.#error = new HostError(
      'host/slow-subscriber',
      `A subscriber was dropped, because it had ${this.#unread.length} unread events of ${this.#unreadLength} characters. The journal has all events.`,
    );
    this.#unread = [];
    this.end();
  }

  end(): void {
    this.#isOver = true;
    this.#onEnd();
    for (const reader of this.#waiting.splice(0)) reader.resolve({ done: true, value: undefined });
  }

  async next(): Promise<Result> {
    const next = this.#unread.shift();
    if (next) {
      this.#unreadLength -= next.length;
      return { done: false, value: next.event };
    }
    if (this.#error) throw this.#error;
    if (this.#isOver) return { done: true, value: undefined };
    return new Promise((resolve) => this.#waiting.push({ resolve }));
  }

  async return(): Promise<Result> {
    this.#unread = [];
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wants({ instance, within = [], event }: HostEvent): boolean {
    const { instance: wanted, descendants, types } = this.#filter;
    const isWithin = descendants === true && wanted !== undefined && within.includes(wanted);
    if (wanted !== undefined && wanted !== instance && !isWithin) return false;
    return types === undefined || types.some((type) => isNamed(event.type, type));
  }
}

function isNamed(type: string, pattern: string): boolean {
  return pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
