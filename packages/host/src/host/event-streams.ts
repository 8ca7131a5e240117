import { HostError } from '../errors.ts';
import type { HostEvent } from '../instance/event.ts';

export interface EventFilter {
  readonly instance?: string;
  /** Of those too that the instance has called as agents, at any depth. */
  readonly descendants?: boolean;
  /** Names of events; a name that ends in `.*` stands for all that begin so. */
  readonly types?: readonly string[];
}

/** Events that a subscriber has not taken yet; beyond these it is let go, because nothing may grow without bound. */
const mostUntaken = 10_000;

/** Hands events on to whoever iterates over them, from the moment of subscribing. */
export class EventStreams {
  readonly #streams = new Set<EventStream>();

  subscribe(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    const stream = new EventStream(filter, () => this.#streams.delete(stream));
    this.#streams.add(stream);
    return stream;
  }

  publish(events: readonly HostEvent[]): void {
    for (const stream of this.#streams) for (const event of events) stream.push(event);
  }

  /** The iterations end once they have taken what there is. */
  end(): void {
    for (const stream of this.#streams) stream.end();
  }
}

type Result = IteratorResult<HostEvent, undefined>;

class EventStream implements AsyncIterableIterator<HostEvent> {
  readonly #filter: EventFilter;
  readonly #leave: () => void;
  #untaken: HostEvent[] = [];
  #takers: { resolve: (result: Result) => void }[] = [];
  #isOver = false;
  #error: HostError | undefined;

  constructor(filter: EventFilter, leave: () => void) {
    this.#filter = filter;
    this.#leave = leave;
  }

  push(event: HostEvent): void {
    if (this.#isOver || !this.#wants(event)) return;
    const taker = this.#takers.shift();
    if (taker) return taker.resolve({ done: false, value: event });
    this.#untaken.push(event);
    if (this.#untaken.length <= mostUntaken) return;
    this.#untaken = [];
    this.#error = new HostError(
      'host/slow-subscriber',
      `A subscriber left ${mostUntaken} events untaken and gets no more. The journal has them all.`,
    );
    this.end();
  }

  end(): void {
    this.#isOver = true;
    this.#leave();
    for (const taker of this.#takers.splice(0)) taker.resolve({ done: true, value: undefined });
  }

  async next(): Promise<Result> {
    const value = this.#untaken.shift();
    if (value) return { done: false, value };
    if (this.#error) throw this.#error;
    if (this.#isOver) return { done: true, value: undefined };
    return new Promise((resolve) => this.#takers.push({ resolve }));
  }

  async return(): Promise<Result> {
    this.#untaken = [];
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
