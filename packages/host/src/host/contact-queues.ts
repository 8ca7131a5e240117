import { listAll } from '../erasure/family.ts';
import type { RecordSummary, Store } from '../store/contract.ts';
import { Serial } from './serial.ts';

/** An instance in the queue of a contact. */
export interface QueuePosition {
  readonly id: string;
  readonly createdAt: number;
  /** The instance holds the contact: no other instance may write to it. */
  readonly holds: boolean;
  /** The instance waits for the contact to become free. */
  readonly waits: boolean;
}

/** The queue of one contact, during exclusive work. */
export interface ContactQueue {
  readonly contact: string;
  /**
   * `lastCreatedAt` is when the last instance in the queue was created; -Infinity when the queue is empty.
   *
   * @param ancestors of a new child, which lend it the contact
   */
  readonly occupation: (
    ancestors?: readonly string[],
  ) => Promise<{ readonly isHeld: boolean; readonly lastCreatedAt: number }>;
  /** The instance that holds the contact. When none does, the first waiting instance gets its turn. */
  readonly holder: () => Promise<string | undefined>;
}

export interface ContactQueuesOptions {
  readonly store: Store;
  /** Undefined for an instance that cannot be read: it is not in the queue until its record is repaired. */
  readonly positionOf: (summary: RecordSummary) => Promise<QueuePosition | undefined>;
  /** Notifies an instance of its turn. */
  readonly callUp: (id: string) => Promise<void>;
  /** The next instance was not called up; it may be called up later. */
  readonly onCallUpFailed: (contact: string, error: unknown) => void;
  /** Fast path: the active instance that holds a contact. The store need not be asked then. */
  readonly activeHolder: (contact: string) => string | undefined;
}

/**
 * The queue of instances of each contact, in order of creation. At most one instance holds a contact, besides the ancestors that
 * lend it; when none does, the first waiting instance is called up. A queue has no record: it is computed from the stored
 * instances of the contact, so that it cannot contradict them after a crash.
 *
 * Owns the exclusion: starts, messages and call-ups of one contact run one after another, in the order of the calls.
 */
export class ContactQueues {
  /** The order of all work with a contact. */
  readonly serial = new Serial();
  readonly #options: ContactQueuesOptions;

  constructor(options: ContactQueuesOptions) {
    this.#options = options;
  }

  /** Runs work with a queue while nothing else uses it. The work must not await other work with the same queue. */
  exclusive<Value>(contact: string, work: (queue: ContactQueue) => Promise<Value>): Promise<Value> {
    return this.serial.run(contact, () => work(this.queueOf(contact)));
  }

  /** The queue of a contact, for work in its turn. */
  queueOf(contact: string): ContactQueue {
    return {
      contact,
      occupation: async (ancestors = []) => {
        const positions = await this.#positions(contact);
        const lastCreatedAt = positions.at(-1)?.createdAt ?? -Infinity;
        const isHeld = positions.some(({ id, holds }) => holds && !ancestors.includes(id));
        return { isHeld, lastCreatedAt };
      },
      holder: () => this.#holder(contact),
    };
  }

  /** Calls up the first waiting instance, if the contact is free. Never rejects. */
  async callUpNext(contact: string): Promise<void> {
    try {
      await this.serial.run(contact, () => this.#holder(contact));
    } catch (error) {
      this.#options.onCallUpFailed(contact, error);
    }
  }

  async #holder(contact: string): Promise<string | undefined> {
    const active = this.#options.activeHolder(contact);
    if (active !== undefined) return active;
    const positions = await this.#positions(contact);
    // A child is younger than its parent, which lends it the contact.
    const holder = positions.findLast(({ holds }) => holds);
    if (holder) return holder.id;
    const first = positions.find(({ waits }) => waits);
    if (!first) return undefined;
    await this.#options.callUp(first.id);
    return (await this.#positions(contact)).findLast(({ holds }) => holds)?.id;
  }

  async #positions(contact: string): Promise<QueuePosition[]> {
    const { store, positionOf } = this.#options;
    const positions: QueuePosition[] = [];
    for (const summary of await listAll(store, { contact, kind: 'instance', ended: false })) {
      const position = await positionOf(summary);
      if (position) positions.push(position);
    }
    return positions;
  }
}
