import { unknownInstance } from '../errors.ts';
import type { Store } from '../store/contract.ts';
import { contactOf, copyLinkOf } from './copy-links.ts';
import type { Eraser } from './eraser.ts';
import { summaryOf } from './family.ts';

export interface CopiesOptions {
  readonly store: Store;
  readonly eraser: Pick<Eraser, 'instances'>;
  /**
   * Stores the record that leads from a contact to a copy, while the contact is not being erased.
   *
   * @throws HostError `host/unknown-instance` when the original does not exist any more
   */
  readonly link: (link: {
    readonly contact: string;
    readonly original: string;
    readonly copy: string;
  }) => Promise<void>;
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
    const { store, eraser, link } = this.#options;
    const contact = await contactOf(store, original);
    if (contact === undefined) return create();
    await link({ contact, original, copy });
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
