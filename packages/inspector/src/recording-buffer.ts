import type { InspectorEvent } from './events.ts';
import { applyTo, hasEnded, letGo, type RecordedActor, type Recording } from './recording.ts';

/** The approximate maximum number of characters of all kept events. */
const mostWeight = 64_000_000;

/** Keeps the last events and the actors before the first of them. Bounded in number and size. */
export class RecordingBuffer {
  readonly #limit: number;
  readonly #before = new Map<string, RecordedActor>();
  /** The list of events. The first `#dropped` entries no longer count. */
  #events: InspectorEvent[] = [];
  #weights: number[] = [];
  #dropped = 0;
  #total = 0;

  /** @param limit the maximum number of events */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param weight its approximate number of characters */
  add(event: InspectorEvent, weight: number): void {
    this.#events.push(event);
    this.#weights.push(weight);
    this.#total += weight;
    while (this.#kept > this.#limit || (this.#total > mostWeight && this.#kept > 1)) this.#drop();
  }

  recording(): Recording {
    return { actors: [...this.#before.values()], events: this.#events.slice(this.#dropped) };
  }

  get #kept(): number {
    return this.#events.length - this.#dropped;
  }

  #drop(): void {
    const oldest = this.#events[this.#dropped]!;
    applyTo(this.#before, oldest);
    const actor = this.#before.get(oldest.sessionId);
    if (actor && hasEnded(actor)) letGo(this.#before, actor);
    this.#total -= this.#weights[this.#dropped]!;
    this.#dropped += 1;
    // Dropped events are removed in batches: removing one at a time would copy the list each time.
    if (this.#dropped < this.#limit) return;
    this.#events = this.#events.slice(this.#dropped);
    this.#weights = this.#weights.slice(this.#dropped);
    this.#dropped = 0;
  }
}
