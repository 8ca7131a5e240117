import type { RecordSummary, Store } from '../store/contract.ts';
import { Serial } from './serial.ts';

/** A place in the line of a contact. */
export interface Place {
  readonly id: string;
  readonly createdAt: number;
  /** No other instance may speak with the contact. */
  readonly holds: boolean;
  /** It waits for the contact to become free. */
  readonly queues: boolean;
}

/**
 * One line of instances for each contact, in the order in which they were created: at most one of them holds the contact,
 * and when none does the first that waits is called. There is no record of a line: the instances of a contact are the
 * line, so that it cannot disagree with them, whenever the host is stopped.
 */
export class Lines {
  readonly #serial = new Serial();
  readonly #store: Store;
  readonly #placeOf: (summary: RecordSummary) => Promise<Place | undefined>;
  readonly #call: (id: string, contact: string) => Promise<void>;

  /**
   * @param placeOf undefined for an instance that cannot be read: it is out of the line until somebody has mended it
   * @param call tells an instance that it is its turn
   */
  constructor(
    store: Store,
    placeOf: (summary: RecordSummary) => Promise<Place | undefined>,
    call: (id: string, contact: string) => Promise<void>,
  ) {
    this.#store = store;
    this.#placeOf = placeOf;
    this.#call = call;
  }

  /** Adds an instance to the line, with nobody else coming in between. */
  join<Value>(
    contact: string,
    create: (line: { readonly isHeld: boolean; readonly last: number }) => Promise<Value>,
  ): Promise<Value> {
    return this.#serial.run(contact, async () => {
      const places = await this.#places(contact);
      return create({
        isHeld: places.some(({ holds }) => holds),
        last: places.at(-1)?.createdAt ?? -Infinity,
      });
    });
  }

  /** The instance that holds the contact. */
  async holder(contact: string): Promise<string | undefined> {
    return (await this.#places(contact)).find(({ holds }) => holds)?.id;
  }

  /** Calls the first that waits, if the contact is free. */
  callNext(contact: string): Promise<void> {
    return this.#serial.run(contact, async () => {
      const places = await this.#places(contact);
      if (places.some(({ holds }) => holds)) return;
      const first = places.find(({ queues }) => queues);
      if (first) await this.#call(first.id, contact);
    });
  }

  async #places(contact: string): Promise<Place[]> {
    const places: Place[] = [];
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
