import type { ContactQueues } from '../host/contact-queues.ts';
import { unknownInstance } from '../host/instance-reader.ts';
import type { Store } from '../store/contract.ts';
import { contactOf, copyLinkOf, linkCopy } from './copy-links.ts';
import type { Eraser } from './eraser.ts';
import { summaryOf } from './family.ts';

export interface CopiesOptions {
  readonly store: Store;
  readonly contactQueues: ContactQueues;
  readonly eraser: Eraser;
  readonly now: () => number;
}

/** Lets an erase of a contact find the copies of its instances, also those that are being made. */
export class Copies {
  readonly #options: CopiesOptions;

  constructor(options: CopiesOptions) {
    this.#options = options;
  }

  /**
   * Makes a copy, with the record that leads from the contact of the original to it.
   *
   * @param create stores the copy, or nothing when it rejects
   * @throws HostError `host/unknown-instance` when the original is erased in the meantime; then the copy is erased, too
   */
  async make<Value>(original: string, copy: string, create: () => Promise<Value>): Promise<Value> {
    const { store, contactQueues, eraser, now } = this.#options;
    const contact = await contactOf(store, original);
    if (contact === undefined) return create();
    await contactQueues.exclusive(contact, async () => {
      if (!(await store.read(original))) throw unknownInstance(original);
      await linkCopy(store, { copy, contact, createdAt: now() });
    });
    let made: Value;
    try {
      made = await create();
    } catch (error) {
      await store.delete(copyLinkOf(copy));
      throw error;
    }
    if (await store.read(copyLinkOf(copy))) return made;
    const summary = await summaryOf(store, copy);
    if (summary) await eraser.instances([summary]);
    throw unknownInstance(original);
  }
}
