import type { HostEvent } from '../instance/event.ts';
import { EventLengths } from './event-lengths.ts';
import { slowSubscriber, unreadMax } from './event-streams.ts';

/** The events of one subscriber that are not stored, until it takes them. Their number and length are bounded. */
export class UnstoredEvents {
  #unread: { readonly event: HostEvent; readonly length: number }[] = [];
  #length = 0;
  readonly #lengths = new EventLengths();
  #error: Error | undefined;

  get count(): number {
    return this.#unread.length;
  }

  add(event: HostEvent): void {
    if (this.#error) return;
    const length = this.#lengths.add(event);
    this.#unread.push({ event, length });
    this.#length += length;
    const { events, characters } = unreadMax;
    if (this.count <= events && this.#length <= characters) return;
    this.#error = slowSubscriber(this.count, this.#length);
    this.#unread = [];
  }

  /** @throws HostError `host/slow-subscriber` */
  take(count: number): HostEvent[] {
    if (this.#error) throw this.#error;
    const taken = this.#unread.splice(0, count);
    this.#length -= taken.reduce((sum, { length }) => sum + length, 0);
    return taken.map(({ event }) => event);
  }
}
