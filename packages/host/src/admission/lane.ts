import { nextTurn } from '@dramaturg/compiler/machine';
import type { Activity } from './activity.ts';
import { startsPerTurn as loadsPerTurn } from './in-slices.ts';
import type { Schedule } from './schedule.ts';

/**
 * The priority of a ticket. `urgent`: a person at a desk waits. `interactive`: a person or program waits for the answer to an
 * event. `batch`: nobody waits, because the clock has started the work.
 */
export type Priority = 'urgent' | 'interactive' | 'batch';

/** A place in a lane. It has only names, so that its instance need not be in memory while it waits. */
export interface Ticket extends Entry {
  /** Unique in the lane. */
  readonly key: string;
  /** The contact; without one, the instance. */
  readonly group: string;
  /** `interactive` when left out. */
  readonly priority?: Priority;
}

export interface LaneOptions {
  /** How many tickets have a slot at the same time. */
  readonly concurrency: number;
  /**
   * Does the work of a ticket that has got a slot.
   *
   * @param begin has to be called before the work reads what is to be done. A ticket that is added later gets its own slot.
   */
  readonly work: (ticket: Ticket, begin: () => void) => Promise<void>;
  /** The work has failed. */
  readonly onFailure: (ticket: Ticket, error: unknown) => void;
  /** How many tickets get a slot in one turn of the event loop. When left out, few, because the work may load an instance. */
  readonly startsPerTurn?: number | undefined;
  readonly schedule: Schedule;
  readonly activity: Activity;
}

/**
 * Admits work: owns the slots for one port or one channel, and the tickets that wait for them.
 *
 * A1  At most `concurrency` tickets have a slot; fewer when `limit` is lower.
 * A2  Of the tickets with one priority, groups take turns. Within a group, the first ticket comes first.
 * A3  A key is in the lane once: adding a ticket whose key is `delayed`, `waiting`, or has a slot and has not begun, changes
 *     at most the priority (A6).
 * A4  At most `startsPerTurn` tickets get a slot in one turn of the event loop, because each may load an instance. A ticket
 *     with the key of an earlier one counts an eighth, because its instance is in memory already.
 * A5  Urgent tickets go first, also while the lane is closed. While interactive and batch tickets wait, a batch ticket gets
 *     every fourth slot: a backlog of batch tickets delays an interactive one by at most one ticket, and neither starves.
 * A6  A ticket that waits, also with a delay, takes the highest priority that was given for its key.
 *
 * States of a ticket: delayed → waiting → has a slot → begun → done. It can be removed until it has begun.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #delayed = new Map<string, { readonly ticket: Ticket; readonly cancel: () => void }>();
  readonly #waiting: Readonly<Record<Priority, FairQueue>> = {
    urgent: new FairQueue(),
    interactive: new FairQueue(),
    batch: new FairQueue(),
  };
  /** How many interactive tickets got a slot since the last turn of a batch ticket. */
  #interactiveInARow = 0;
  /** Tickets that have a slot and have not begun. */
  readonly #starting = new Map<string, Ticket>();
  #limit: number;
  #running = 0;
  readonly #startsPerTurn: number;
  #startsLeft: number;
  /** The keys of the tickets that got a slot in this turn of the event loop. */
  readonly #startedInTurn = new Set<string>();

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#limit = options.concurrency;
    this.#startsPerTurn = options.startsPerTurn ?? loadsPerTurn;
    this.#startsLeft = this.#startsPerTurn;
  }

  /** Lowers the number of slots, or raises it again. 0 closes the lane: tickets wait, except urgent ones. */
  limit(slots: number): void {
    this.#limit = Math.min(slots, this.#options.concurrency);
    this.#admit();
  }

  /** Adds a ticket, unless one with its key is in the lane. The ticket in the lane then gets the higher priority of the two. */
  add(ticket: Ticket): void {
    if (this.#starting.has(ticket.key)) return;
    const delayed = this.#delayed.get(ticket.key);
    if (delayed) {
      if (isHigher(ticket, delayed.ticket)) this.#delayed.set(ticket.key, { ...delayed, ticket });
      return;
    }
    const queued = this.#queued(ticket);
    if (!queued) this.#options.activity.begin();
    else if (isHigher(ticket, queued)) this.#queueOf(queued).delete(queued);
    else return;
    this.#wait(ticket);
  }

  /** Adds a ticket that waits after a number of milliseconds, unless one with its key is in the lane. */
  addAfter(milliseconds: number, ticket: Ticket): void {
    const { key } = ticket;
    if (this.#starting.has(key) || this.#delayed.has(key) || this.#queued(ticket)) return;
    const { activity, schedule } = this.#options;
    activity.begin();
    const cancel = schedule.after(milliseconds, () => this.#endDelay(key));
    this.#delayed.set(key, { ticket, cancel });
  }

  /** Ends all delays. */
  endDelays(): void {
    for (const [key, { cancel }] of this.#delayed) {
      cancel();
      this.#endDelay(key);
    }
  }

  remove(ticket: Ticket): void {
    const { key } = ticket;
    this.#delayed.get(key)?.cancel();
    const isRemoved =
      this.#delayed.delete(key) ||
      this.#starting.delete(key) ||
      Object.values(this.#waiting).some((queue) => queue.delete(ticket));
    if (isRemoved) this.#options.activity.end();
  }

  #endDelay(key: string): void {
    const { ticket } = this.#delayed.get(key)!;
    this.#delayed.delete(key);
    this.#wait(ticket);
  }

  /** The waiting ticket with a key. */
  #queued({ key, group }: Ticket): Ticket | undefined {
    const entry = { key, group };
    const priority = priorities.find((each) => this.#waiting[each].has(entry));
    return priority && { ...entry, priority };
  }

  #queueOf({ priority = 'interactive' }: Ticket): FairQueue {
    return this.#waiting[priority];
  }

  #wait(ticket: Ticket): void {
    this.#queueOf(ticket).add(ticket);
    this.#admit();
  }

  /** Gives free slots to waiting tickets, until the host stops. */
  #admit(): void {
    while (this.#startsLeft > 0 && !this.#options.schedule.isStopped) {
      const ticket = this.#takeNext();
      if (!ticket) return;
      this.#countStart(ticket);
      void this.#work(ticket);
    }
  }

  #countStart({ key }: Ticket): void {
    if (this.#startsPerTurn === Infinity) return;
    if (this.#startsLeft === this.#startsPerTurn) void this.#startAgainNextTurn();
    this.#startsLeft -= this.#startedInTurn.has(key) ? 1 / 8 : 1;
    this.#startedInTurn.add(key);
  }

  async #startAgainNextTurn(): Promise<void> {
    await nextTurn();
    this.#startsLeft = this.#startsPerTurn;
    this.#startedInTurn.clear();
    this.#admit();
  }

  async #work(ticket: Ticket): Promise<void> {
    const { work, onFailure, activity } = this.#options;
    this.#running += 1;
    activity.begin();
    this.#starting.set(ticket.key, ticket);
    const begin = () => {
      // A removed ticket has no slot any more, and a new ticket with its key may have one.
      if (this.#starting.get(ticket.key) === ticket) this.remove(ticket);
    };
    try {
      await work(ticket, begin);
    } catch (error) {
      onFailure(ticket, error);
    }
    begin();
    this.#running -= 1;
    this.#admit();
    activity.end();
  }

  #takeNext(): Ticket | undefined {
    const { concurrency } = this.#options;
    if (this.#running >= concurrency) return undefined;
    const urgent = this.#take('urgent');
    if (urgent || this.#running >= this.#limit) return urgent;
    const isTurnOfBatch = this.#interactiveInARow >= interactivePerBatch;
    const ticket = isTurnOfBatch
      ? (this.#take('batch') ?? this.#take('interactive'))
      : (this.#take('interactive') ?? this.#take('batch'));
    const isInteractive = ticket?.priority === 'interactive' && !isTurnOfBatch;
    this.#interactiveInARow = isInteractive ? this.#interactiveInARow + 1 : 0;
    return ticket;
  }

  #take(priority: Priority): Ticket | undefined {
    const entry = this.#waiting[priority].take();
    return entry && { ...entry, priority };
  }
}

/** The highest first. */
const priorities: readonly Priority[] = ['urgent', 'interactive', 'batch'];

/** How many interactive tickets get a slot for each batch ticket, while both wait. */
const interactivePerBatch = 3;

function isHigher(one: Ticket, other: Ticket): boolean {
  return rankOf(one) < rankOf(other);
}

function rankOf({ priority = 'interactive' }: Ticket): number {
  return priorities.indexOf(priority);
}

/** The name of an item in a queue. */
export interface Entry {
  /** Unique in its group. */
  readonly key: string;
  readonly group: string;
}

/**
 * A queue in which groups take turns, one key a turn. Within a group, the first key comes first.
 *
 * Keeps only the two names of an entry, because a host can have a hundred thousand entries.
 */
export class FairQueue {
  /** The keys of each group. A group of one key has no set. */
  readonly #groups = new Map<string, string | Set<string>>();
  /** The names of the groups, each once, in the order of their turns. */
  readonly #turns = new Fifo<string>();

  has({ key, group }: Entry): boolean {
    const keys = this.#groups.get(group);
    return keys instanceof Set ? keys.has(key) : keys === key;
  }

  /** Adds an entry that the queue does not have. */
  add({ key, group }: Entry): void {
    const keys = this.#groups.get(group);
    if (keys instanceof Set) keys.add(key);
    else if (keys !== undefined) this.#groups.set(group, new Set([keys, key]));
    else {
      this.#groups.set(group, key);
      this.#turns.add(group);
    }
  }

  /** @returns whether the queue had the entry */
  delete({ key, group }: Entry): boolean {
    const keys = this.#groups.get(group);
    if (keys instanceof Set) return keys.delete(key);
    if (keys !== key) return false;
    // The empty group keeps its turn. If it were deleted, a group that comes back would have two turns.
    this.#groups.set(group, new Set());
    return true;
  }

  /** Removes the next entry, and returns it. */
  take(): Entry | undefined {
    for (let group = this.#turns.take(); group !== undefined; group = this.#turns.take()) {
      const key = this.#takeFrom(group);
      if (key !== undefined) return { key, group };
    }
    return undefined;
  }

  #takeFrom(group: string): string | undefined {
    const keys = this.#groups.get(group)!;
    if (typeof keys === 'string' || keys.size === 0) {
      this.#groups.delete(group);
      return typeof keys === 'string' ? keys : undefined;
    }
    const [key] = keys;
    keys.delete(key!);
    if (keys.size === 0) this.#groups.delete(group);
    else this.#turns.add(group);
    return key;
  }
}

/** A queue. Taking the first item takes constant time, unlike `Array.shift`. */
export class Fifo<Item> {
  #items: Item[] = [];
  /** How many of the items were taken. */
  #taken = 0;

  add(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    if (this.#taken === this.#items.length) return undefined;
    const item = this.#items[this.#taken];
    this.#taken += 1;
    // Half of the array was taken: each item is copied at most once on average.
    if (this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
