import { nextTurn } from '../next-turn.ts';
import type { Activity } from './activity.ts';
import { type Entry, FairQueue } from './fair-queue.ts';
import { startsPerTurn } from './in-slices.ts';
import type { Schedule } from './schedule.ts';

/** A place in a lane. It has only names, so that the instance behind it need not be in memory while it waits. */
export interface Ticket extends Entry {
  /** Unique in the lane. */
  readonly key: string;
  /** The contact; without one, the instance. */
  readonly group: string;
  /** Goes first, and also while the lane is closed, because a person waits for it. */
  readonly isUrgent?: boolean;
}

export interface LaneOptions {
  /** How many tickets have a slot at the same time. */
  readonly concurrency: number;
  /**
   * Does the work of a ticket that has got a slot. Must not reject.
   *
   * @param begin has to be called when the work looks at what is to be done. A ticket that is added later is another one.
   */
  readonly work: (ticket: Ticket, begin: () => void) => Promise<void>;
  readonly schedule: Schedule;
  readonly activity: Activity;
}

/**
 * Admits work: owns the slots for one port or one channel, and the tickets that wait for them.
 *
 * A1  At most `concurrency` tickets have a slot; fewer when `limit` is lower.
 * A2  Groups take turns. Within a group, the first ticket comes first.
 * A3  A key is in the lane once: a ticket is ignored while another one with its key is `delayed`, `waiting`, or has a
 *     slot and has not begun.
 * A4  At most `startsPerTurn` tickets get a slot in one turn of the event loop.
 *
 * States of a ticket: delayed → waiting → has a slot → begun → done. It can be removed until it has begun.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #delayed = new Map<string, { readonly ticket: Ticket; readonly cancel: () => void }>();
  readonly #waiting = new FairQueue();
  readonly #urgent = new FairQueue();
  /** Tickets that have a slot and have not begun. */
  readonly #starting = new Map<string, Ticket>();
  #limit: number;
  #running = 0;
  #startsLeft = startsPerTurn;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#limit = options.concurrency;
  }

  /** Lowers the number of slots, or raises it again. 0 closes the lane: tickets wait, except urgent ones. */
  limit(slots: number): void {
    this.#limit = Math.min(slots, this.#options.concurrency);
    this.#admit();
  }

  /** Adds a ticket, unless one with its key is in the lane. */
  add(ticket: Ticket): void {
    if (this.#has(ticket)) return;
    this.#options.activity.begin();
    this.#wait(ticket);
  }

  /**
   * Adds a ticket that waits from a time on.
   *
   * @param at milliseconds since 1970 UTC
   */
  addAt(at: number, ticket: Ticket): void {
    if (this.#has(ticket)) return;
    const { activity, schedule } = this.#options;
    activity.begin();
    const cancel = schedule.at(at, () => {
      this.#delayed.delete(ticket.key);
      this.#wait(ticket);
    });
    this.#delayed.set(ticket.key, { ticket, cancel });
  }

  /** Ends all delays. */
  endDelays(): void {
    for (const [key, { ticket, cancel }] of this.#delayed) {
      cancel();
      this.#delayed.delete(key);
      this.#wait(ticket);
    }
  }

  remove(ticket: Ticket): void {
    const { key } = ticket;
    this.#delayed.get(key)?.cancel();
    const isRemoved =
      this.#delayed.delete(key) ||
      this.#starting.delete(key) ||
      this.#urgent.delete(ticket) ||
      this.#waiting.delete(ticket);
    if (isRemoved) this.#options.activity.end();
  }

  #has(ticket: Ticket): boolean {
    const { key } = ticket;
    const isWaiting = this.#urgent.has(ticket) || this.#waiting.has(ticket);
    return isWaiting || this.#delayed.has(key) || this.#starting.has(key);
  }

  #wait(ticket: Ticket): void {
    (ticket.isUrgent ? this.#urgent : this.#waiting).add(ticket);
    this.#admit();
  }

  /** Gives free slots to waiting tickets, until the host stops. */
  #admit(): void {
    while (this.#startsLeft > 0 && !this.#options.schedule.isStopped) {
      const ticket = this.#takeNext();
      if (!ticket) return;
      this.#startsLeft -= 1;
      if (this.#startsLeft === startsPerTurn - 1) void this.#startAgainNextTurn();
      void this.#work(ticket);
    }
  }

  async #startAgainNextTurn(): Promise<void> {
    await nextTurn();
    this.#startsLeft = startsPerTurn;
    this.#admit();
  }

  async #work(ticket: Ticket): Promise<void> {
    const { work, activity } = this.#options;
    this.#running += 1;
    activity.begin();
    this.#starting.set(ticket.key, ticket);
    const begin = () => {
      // A ticket that was removed has no place any more, and its key may have another one.
      if (this.#starting.get(ticket.key) === ticket) this.remove(ticket);
    };
    await work(ticket, begin);
    begin();
    this.#running -= 1;
    this.#admit();
    activity.end();
  }

  #takeNext(): Ticket | undefined {
    const { concurrency } = this.#options;
    if (this.#running >= concurrency) return undefined;
    const urgent = this.#urgent.take();
    if (urgent) return { ...urgent, isUrgent: true };
    return this.#running < this.#limit ? this.#waiting.take() : undefined;
  }
}
