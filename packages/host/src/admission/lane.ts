import { nextTurn } from '../next-turn.ts';
import type { Activity } from './activity.ts';
import { Fifo } from './fifo.ts';
import { startsPerTurn } from './in-slices.ts';
import type { Schedule } from './schedule.ts';

/** A place in a lane. It has only names, so that the instance behind it need not be in memory while it waits. */
export interface Ticket {
  /** Unique in the lane. */
  readonly key: string;
  /** The contact; without one, the instance. */
  readonly group: string;
  /** Goes first, and also while the lane is closed, because a person waits for it. */
  readonly isUrgent?: boolean;
}

export interface LaneOptions<One extends Ticket> {
  /** How many tickets have a slot at the same time. */
  readonly concurrency: number;
  /**
   * Does the work of a ticket that has got a slot. Must not reject.
   *
   * @param begin has to be called when the work looks at what is to be done. A ticket that is added later is another one.
   */
  readonly work: (ticket: One, begin: () => void) => Promise<void>;
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
export class Lane<One extends Ticket> {
  readonly #options: LaneOptions<One>;
  /** Tickets that have not begun. */
  readonly #pending = new Map<string, One>();
  /** Functions that cancel the delay, by key. */
  readonly #delayed = new Map<string, () => void>();
  readonly #groups = new Map<string, Fifo<One>>();
  /** The names of the groups, in the order of their turns. */
  readonly #turns = new Fifo<string>();
  readonly #urgent = new Fifo<One>();
  #limit: number;
  #running = 0;
  #startsLeft = startsPerTurn;

  constructor(options: LaneOptions<One>) {
    this.#options = options;
    this.#limit = options.concurrency;
  }

  /** Lowers the number of slots, or raises it again. 0 closes the lane: tickets wait, except urgent ones. */
  limit(slots: number): void {
    this.#limit = Math.min(slots, this.#options.concurrency);
    this.#admit();
  }

  /** Adds a ticket, unless one with its key is in the lane. */
  add(ticket: One): void {
    if (this.#put(ticket)) this.#wait(ticket);
  }

  /**
   * Adds a ticket that waits from a time on.
   *
   * @param at milliseconds since 1970 UTC
   */
  addAt(at: number, ticket: One): void {
    if (!this.#put(ticket)) return;
    const { key } = ticket;
    const undelay = () => {
      this.#delayed.delete(key);
      this.#wait(ticket);
    };
    this.#delayed.set(key, this.#options.schedule.at(at, undelay));
  }

  /** Ends all delays. */
  endDelays(): void {
    for (const [key, cancel] of this.#delayed) {
      cancel();
      this.#delayed.delete(key);
      this.#wait(this.#pending.get(key)!);
    }
  }

  remove(key: string): void {
    this.#delayed.get(key)?.();
    this.#delayed.delete(key);
    if (this.#pending.delete(key)) this.#options.activity.end();
  }

  #put(ticket: One): boolean {
    if (this.#pending.has(ticket.key)) return false;
    this.#pending.set(ticket.key, ticket);
    this.#options.activity.begin();
    return true;
  }

  #wait(ticket: One): void {
    const { group, isUrgent } = ticket;
    const tickets = isUrgent ? this.#urgent : this.#groups.get(group);
    if (tickets) tickets.add(ticket);
    else {
      this.#groups.set(group, new Fifo(ticket));
      this.#turns.add(group);
    }
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

  async #work(ticket: One): Promise<void> {
    const { work, activity } = this.#options;
    this.#running += 1;
    activity.begin();
    let hasBegun = false;
    const begin = () => {
      // A ticket that was removed has no place any more, and its key may have another one.
      if (!hasBegun && this.#pending.get(ticket.key) === ticket) this.remove(ticket.key);
      hasBegun = true;
    };
    await work(ticket, begin);
    begin();
    this.#running -= 1;
    this.#admit();
    activity.end();
  }

  #takeNext(): One | undefined {
    const { concurrency } = this.#options;
    if (this.#running < concurrency) {
      const urgent = this.#takePending(this.#urgent);
      if (urgent) return urgent;
    }
    while (this.#running < this.#limit) {
      const name = this.#turns.take();
      if (name === undefined) return undefined;
      const tickets = this.#groups.get(name)!;
      const ticket = this.#takePending(tickets);
      if (tickets.isEmpty) this.#groups.delete(name);
      else this.#turns.add(name);
      if (ticket) return ticket;
    }
    return undefined;
  }

  /** The first ticket that was not removed. */
  #takePending(tickets: Fifo<One>): One | undefined {
    for (let ticket = tickets.take(); ticket; ticket = tickets.take())
      if (this.#pending.get(ticket.key) === ticket) return ticket;
    return undefined;
  }
}
