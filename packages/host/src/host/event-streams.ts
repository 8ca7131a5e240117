import type { WrittenContact } from '../contact.ts';
import { badRequest, HostError, unknownInstance } from '../errors.ts';
import type { HostEvent } from '../instance/event.ts';
import { feedPositionOf, positionOf } from './event-cursor.ts';
import { messagePart } from './reply-parts.ts';
import { type Channels, requireKnown, withContact } from './request.ts';

export interface EventFilter extends Partial<WrittenContact> {
  readonly instance?: string;
  /** Also events of all descendants of the instance. */
  readonly descendants?: boolean;
  /**
   * Also parts of replies in progress: `message.part` with `key`, `text` and `offset`, the number of characters before. They are
   * not stored. A stream that begins in the middle of a reply first gives its text so far, with the offset 0.
   */
  readonly parts?: boolean;
  /** Event types. `message.*` matches all types that begin with `message.`. */
  readonly types?: readonly string[];
  /**
   * First gives the stored events after this one: the cursor of an event, or `beginning`. Without it, the events begin now. A cursor
   * belongs to one instance, or to all instances and all contacts; see `HostEvent.cursor`.
   */
  readonly after?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/**
 * Checks a filter.
 *
 * @returns the filter, with the contact in its canonical form
 * @throws HostError `host/unknown-option`, `host/bad-request`
 */
export function checkedEventFilter(filter: EventFilter, channels: Channels): EventFilter {
  const known = [
    'instance',
    'contact',
    'channel',
    'descendants',
    'types',
    'parts',
    'after',
    'signal',
  ];
  requireKnown(filter, known, 'options of the events');
  const { instance, descendants, after } = filter;
  if (instance !== undefined && filter.contact !== undefined)
    throw badRequest('Events are of one "instance" or of one "contact". Name one of the two.');
  if (after !== undefined && instance === undefined) feedPositionOf(after);
  else if (after !== undefined) positionOf(after);
  if (after !== undefined && descendants === true)
    throw badRequest(
      'A cursor belongs to one instance or to all of them: "after" goes without "descendants". Follow each instance after its own cursor, or leave "instance" out.',
    );
  return withContact(filter, channels);
}

/**
 * The limits of a subscriber's unread events. A subscriber beyond them is dropped, because memory is bounded. An object that
 * several events share counts once.
 */
export const unreadMax = { events: 10_000, characters: 8_000_000 };

/** Owns the subscriptions to events. */
export class EventStreams {
  readonly #streams = new Set<EventStream>();

  get hasSubscribers(): boolean {
    return this.#streams.size > 0;
  }

  /** @param textsSoFar the replies in progress */
  subscribe(
    filter: EventFilter,
    textsSoFar: readonly HostEvent[] = [],
  ): AsyncIterableIterator<HostEvent> {
    const stream: EventStream = new EventStream(filter, () => this.#streams.delete(stream));
    if (!filter.signal?.aborted) this.#streams.add(stream);
    for (const part of textsSoFar) stream.push(part);
    return stream;
  }

  publish(events: readonly HostEvent[]): void {
    for (const stream of this.#streams) for (const event of events) stream.push(event);
  }

  /** Resolves when every subscriber has read all published events, or has ended. */
  async whenRead(): Promise<void> {
    for (const stream of this.#streams) await stream.whenRead();
  }

  /** Notes that an instance was erased: its streams throw after their unread events. */
  erased(instance: string): void {
    for (const stream of this.#streams)
      if (stream.instance === instance) stream.fail(unknownInstance(instance));
  }

  /** Ends all iterations after their unread events. */
  end(): void {
    for (const stream of this.#streams) stream.end();
  }
}

type Result = IteratorResult<HostEvent, undefined>;

/**
 * An event stream. States: open; ended, when unread events can still be read; failed, when the subscriber was too slow or the
 * instance was erased.
 */
class EventStream implements AsyncIterableIterator<HostEvent> {
  readonly #filter: EventFilter;
  readonly #onEnd: () => void;
  readonly #unread = new UnreadEvents();
  #waiting: { resolve: (result: Result) => void; reject: (error: HostError) => void }[] = [];
  #whenRead: (() => void)[] = [];
  #isOver = false;
  #error: HostError | undefined;

  constructor(filter: EventFilter, onEnd: () => void) {
    this.#filter = filter;
    this.#onEnd = onEnd;
    this.#isOver = filter.signal?.aborted === true;
    filter.signal?.addEventListener('abort', this.#abort);
  }

  push(event: HostEvent): void {
    if (this.#isOver || !this.#wants(event)) return;
    const reader = this.#waiting.shift();
    if (reader) return reader.resolve({ done: false, value: event });
    const error = this.#unread.add(event);
    if (error) this.fail(error);
  }

  get instance(): string | undefined {
    return this.#filter.instance;
  }

  /** Ends the iteration with an error, after its unread events. */
  fail(error: HostError): void {
    this.#error = error;
    for (const reader of this.#waiting.splice(0)) reader.reject(error);
    this.end();
  }

  end(): void {
    this.#isOver = true;
    this.#filter.signal?.removeEventListener('abort', this.#abort);
    this.#onEnd();
    this.#tellRead();
    for (const reader of this.#waiting.splice(0)) reader.resolve({ done: true, value: undefined });
  }

  async next(): Promise<Result> {
    const value = this.#unread.take();
    if (value) {
      if (this.#unread.count === 0) this.#tellRead();
      return { done: false, value };
    }
    if (this.#error) throw this.#error;
    if (this.#isOver) return { done: true, value: undefined };
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async whenRead(): Promise<void> {
    if (this.#unread.count > 0 && !this.#isOver)
      await new Promise<void>((resolve) => this.#whenRead.push(resolve));
  }

  #tellRead(): void {
    for (const resolve of this.#whenRead.splice(0)) resolve();
  }

  readonly #abort = (): void => {
    this.#unread.clear();
    this.end();
  };

  async return(): Promise<Result> {
    this.#abort();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wants({ instance, within = [], event }: HostEvent): boolean {
    const { instance: wanted, descendants, types, parts } = this.#filter;
    if (event.type === messagePart && parts !== true) return false;
    const isWithin = descendants === true && wanted !== undefined && within.includes(wanted);
    if (wanted !== undefined && wanted !== instance && !isWithin) return false;
    return isOfTypes(event.type, types);
  }
}

export function slowSubscriber(events: number, characters?: number): HostError {
  const length = characters === undefined ? '' : ` of ${characters} characters`;
  return new HostError(
    'host/slow-subscriber',
    `A subscriber was dropped, because it had ${events} unread events${length}. The journal has all events.`,
  );
}

/** @param types all types when left out */
export function isOfTypes(type: string, types: EventFilter['types']): boolean {
  return types === undefined || types.some((each) => isNamed(type, each));
}

function isNamed(type: string, pattern: string): boolean {
  return pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

/** Shorter values are counted each time, which is faster than remembering them. */
const lengthMin = 512;

/**
 * Measures the unread events of a subscriber: roughly their characters as JSON. A workflow with much data emits the same objects
 * with each of its states. An object is in memory once, so it is measured and counted once.
 */
class EventLengths {
  readonly #counted = new WeakSet<object>();

  /** Returns the number of characters that a value adds. */
  add(value: unknown): number {
    if (typeof value === 'string') return value.length + 2;
    if (typeof value !== 'object' || value === null || this.#counted.has(value)) return 4;
    let length = 2;
    for (const [name, member] of Object.entries(value))
      length += (Array.isArray(value) ? 1 : name.length + 4) + this.add(member);
    if (length >= lengthMin) this.#counted.add(value);
    return length;
  }
}

/** The events that a subscriber has not read yet. Their number and length are bounded. */
export class UnreadEvents {
  #events: { readonly event: HostEvent; readonly length: number }[] = [];
  #length = 0;
  readonly #lengths = new EventLengths();

  get count(): number {
    return this.#events.length;
  }

  /** @returns the error of a subscriber that is too slow: then all events are dropped */
  add(event: HostEvent): HostError | undefined {
    const length = this.#lengths.add(event);
    this.#events.push({ event, length });
    this.#length += length;
    if (this.count <= unreadMax.events && this.#length <= unreadMax.characters) return undefined;
    const error = slowSubscriber(this.count, this.#length);
    this.clear();
    return error;
  }

  take(): HostEvent | undefined {
    const next = this.#events.shift();
    if (next) this.#length -= next.length;
    return next?.event;
  }

  clear(): void {
    this.#events = [];
    this.#length = 0;
  }
}
