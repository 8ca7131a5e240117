import type { EventObject } from '@dramaturg/compiler';
import type { Refused } from '../instance/event.ts';
import { optionalText } from '../instance/read.ts';
import { refusedForNow } from '../instance/refusal.ts';
import type { InboxLimits } from '../limits/index.ts';

/** Milliseconds after which a sender may try again: events in memory are handled soon. */
export const busyRetryMs = 1_000;

/** The answer to an event for which there is no room. */
export function tooManyEvents(state: string): Refused {
  return refusedForNow('host/busy', 'Too many events wait for the instance.', state, busyRetryMs);
}

/** Counts the events that wait in memory, for one instance or one contact, and limits them. */
export class Backlog {
  readonly #limits: InboxLimits;
  #count = 0;
  #size = 0;

  constructor(limits: InboxLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** @returns false when there is no room. Each event that was added has to be removed. */
  add(event: EventObject): boolean {
    const size = this.#size + sizeOf(event);
    const { messages, size: sizeMax } = this.#limits;
    if (this.#count > 0 && (this.#count >= messages || size > sizeMax)) return false;
    this.#count += 1;
    this.#size = size;
    return true;
  }

  remove(event: EventObject): void {
    this.#count -= 1;
    this.#size -= sizeOf(event);
  }
}

function sizeOf({ text }: EventObject): number {
  return optionalText(text).length;
}
