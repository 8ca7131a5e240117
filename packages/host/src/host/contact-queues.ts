import type { RecordSummary, Store } from '../store/contract.ts';
import { Serial } from './serial.ts';

/** A place in the line of a contact. */
export interface QueuePosition {
  readonly id: string;
  readonly createdAt: number;
  /** No other instance may speak with the contact. */
  readonly holds: boolean;
  /** It waits for the contact to become free. */
  readonly queues: boolean;
}

/** The line of one contact, for whoever has it to itself. */
export interface ContactQueue {
  readonly contact: string;
  /** `last` is when the last instance in it was created; -Infinity when it is empty. */
  readonly standing: () => Promise<{ readonly isHeld: boolean; readonly last: number }>;
  /** The instance that holds the contact. When none does, the first that waits is called. */
  readonly holder: () => Promise<string | undefined>;
}

/**
 * One line of instances for each contact, in the order in which they were created: at most one of them holds the contact,
 * and when none does the first that waits is called. There is no record of a line: the instances of a contact are the
 * line, so that it cannot disagree with them, whenever the host is stopped.
 *
 * Everything that depends on who holds a contact has its line to itself: starts, messages, and the call of the next. They
 * happen one after another, in the order in which they were asked for.
 */
export class ContactQueues {
  readonly #serial = new Serial();
  readonly #store: Store;
  readonly #placeOf: (summary: RecordSummary) => Promise<QueuePosition | undefined>;
  readonly #call: (id: string, contact: string) => Promise<void>;
  readonly #awakeHolder: (contact: string) => string | undefined;

  /**
   * @param placeOf undefined for an instance that cannot be read: it is out of the line until somebody has mended it
   * @param call tells an instance that it is its turn
   * @param awakeHolder the instance that holds a contact, if it is awake, so that the store need not be asked
   */
  constructor(
    store: Store,
    placeOf: (summary: RecordSummary) => Promise<QueuePosition | undefined>,
    call: (id: string, contact: string) => Promise<void>,
    awakeHolder: (contact: string) => string | undefined,
  ) {
    this.#store = store;
    this.#placeOf = placeOf;
    this.#call = call;
    this.#awakeHolder = awakeHolder;
  }

  /**
   * Does something with the line of a contact, while nobody else has it. It must not wait for other work with the same
   * line.
   */
  within<Value>(contact: string, work: (line: ContactQueue) => Promise<Value>): Promise<Value> {
    return this.#serial.run(contact, () =>
      work({
        contact,
        standing: async () => {
          const places = await this.#places(contact);
          const last = places.at(-1)?.createdAt ?? -Infinity;
          return { isHeld: places.some(({ holds }) => holds), last };
        },
        holder: () => this.#holder(contact),
      }),
    );
  }

  /** Calls the first that waits, if the contact is free. */
  async callNext(contact: string): Promise<void> {
    await this.#serial.run(contact, () => this.#holder(contact));
  }

  async #holder(contact: string): Promise<string | undefined> {
    const awake = this.#awakeHolder(contact);
    if (awake !== undefined) return awake;
    const places = await this.#places(contact);
    const holder = places.find(({ holds }) => holds);
    if (holder) return holder.id;
    const first = places.find(({ queues }) => queues);
    if (!first) return undefined;
    await this.#call(first.id, contact);
    return (await this.#places(contact)).find(({ holds }) => holds)?.id;
  }

  async #places(contact: string): Promise<QueuePosition[]> {
    const places: QueuePosition[] = [];
    for (let after: string | undefined; ;) {
      const page = await this.#store.list(
        { contact, kind: 'instance', ended: false },
        { limit: 1_000, ...(after === undefined ? {} : { after }) },
      );
      for (const summary of page.items) {
        const place = await this.#placeOf(summary);
        if (place) places.push(place);
      }
      if (page.next === undefined) return places;
      after = page.next;
    }
  }
}
