import { unknownInstance } from '../errors.ts';
import { Serial } from '../host/serial.ts';
import type { Store } from '../store/contract.ts';
import { contactOf, copyLinkOf } from './copy-links.ts';
import type { Eraser } from './eraser.ts';
import { summaryOf } from './family.ts';

export interface CopiesOptions {
  readonly store: Store;
  readonly eraser: Pick<Eraser, 'instances'>;
  /**
   * Stores the record that leads from a contact to a copy, when no erase of the contact runs.
   *
   * @throws HostError `host/unknown-instance` when the original does not exist any more
   */
  readonly link: (link: {
    readonly contact: string;
    readonly original: string;
    readonly copy: string;
  }) => Promise<void>;
}

/**
 * Lets an erase of a contact find the copies of its instances, also copies in progress. Copies with the same id are made one
 * after another.
 */
export class Copies {
  readonly #options: CopiesOptions;
  readonly #serial = new Serial();

  constructor(options: CopiesOptions) {
    this.#options = options;
  }

  /**
   * Makes a copy, and the record that leads to it from the contact of the original.
   *
   * @param create stores the copy, or nothing when it rejects
   * @throws HostError `host/unknown-instance` when the original is erased in the meantime; then the copy is erased, too
   */
  make<Value>(original: string, copy: string, create: () => Promise<Value>): Promise<Value> {
    return this.#serial.run(copy, () => this.#make(original, copy, create));
  }

  async #make<Value>(original: string, copy: string, create: () => Promise<Value>): Promise<Value> {
    const { store, eraser, link } = this.#options;
    const contact = await contactOf(store, original);
    // An instance with this id has its own record, or needs none, and is refused.
    if (contact === undefined || (await store.read(copy))) return create();
    await link({ contact, original, copy });
    let made: Value;
    try {
      made = await create();
    } catch (error) {
      // Another process may have made a copy with this id just now.
      if (!(await store.read(copy))) await store.delete(copyLinkOf(copy));
      throw error;
    }
    if (await store.read(copyLinkOf(copy))) return made;
    const summary = await summaryOf(store, copy);
    if (summary) await eraser.instances([summary]);
    throw unknownInstance(original);
  }
}
