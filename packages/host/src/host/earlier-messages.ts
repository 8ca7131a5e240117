import { nextTurn } from '@dramaturg/compiler/machine';
import type { TranscriptLine } from '../instance/event.ts';
import type { Store } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { readLines, readPages } from '../store/pages.ts';

/** An ended instance that has received a message. */
interface Receiver {
  readonly id: string;
  readonly state: string;
}

/** The messages that the ended instances of a contact have received. */
interface ContactMessages {
  /** The instance that held the contact when the instances were listed. While it does, no other one receives messages. */
  holder: string | undefined;
  /** Instances whose transcripts were read. */
  readonly read: Set<string>;
  /** Instances by the ids of their messages. */
  readonly receivers: Map<unknown, string>;
}

/** How many message ids stay in memory. Those of the last contact always do. */
const idsMax = 100_000;

/**
 * Recognises messages that ended instances of their contact have received: a channel repeats a message when it got no answer. The
 * ids come from the stored transcripts, so they are known as long as these exist. The ids of the contacts that wrote last are in
 * memory.
 */
export class EarlierMessages {
  readonly #store: Store;
  /** Messages by contact, the least recently used contact first. */
  readonly #contacts = new Map<string, ContactMessages>();
  #idCount = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * @param ids those of messages; other values are skipped
   * @param holder the instance that holds the contact
   * @returns the ended instances that have received messages, by the ids of the messages
   */
  async receiversOf(
    contact: string,
    ids: readonly unknown[],
    holder?: string,
  ): Promise<ReadonlyMap<unknown, Receiver>> {
    const found = new Map<unknown, Receiver>();
    if (!ids.some((id) => typeof id === 'string')) return found;
    const { receivers } = await this.#messagesOf(contact, holder);
    for (const id of ids) {
      const instance = receivers.get(id);
      if (instance === undefined) continue;
      const record = await this.#store.read(instance);
      if (record) found.set(id, { id: instance, state: record.status });
      else {
        // The instance was erased since.
        this.#forget(contact);
        return this.receiversOf(contact, ids, holder);
      }
    }
    return found;
  }

  async #messagesOf(contact: string, holder: string | undefined): Promise<ContactMessages> {
    const known = this.#contacts.get(contact);
    if (known?.holder !== undefined && known.holder === holder) return known;
    const messages = known ?? { holder, read: new Set(), receivers: new Map() };
    this.#forget(contact);
    const all = { contact, kind: 'instance' } as const;
    for await (const items of readPages((page) => this.#store.list(all, page)))
      for (const { id, transcriptLength, ended } of items) {
        if (transcriptLength === 0 || messages.read.has(id) || id === holder) continue;
        await this.#read(id, messages);
        // The instance has not ended: a workflow that a message has started, or a conversation that waits for the contact.
        if (!ended) messages.read.delete(id);
      }
    messages.holder = holder;
    this.#keep(contact, messages);
    return messages;
  }

  async #read(instance: string, { read, receivers }: ContactMessages): Promise<void> {
    try {
      for await (const lines of readLines((range) => this.#store.transcript(instance, range)))
        for (const { id, role } of lines as unknown as readonly TranscriptLine[])
          if (role === 'contact') receivers.set(id, instance);
      read.add(instance);
      await nextTurn();
    } catch (error) {
      // An instance that is damaged, or was erased just now, does not stop its contact from writing.
      if (
        !(error instanceof StoreError) ||
        !['store/damaged', 'store/unknown'].includes(error.code)
      )
        throw error;
    }
  }

  #keep(contact: string, messages: ContactMessages): void {
    this.#contacts.set(contact, messages);
    this.#idCount += messages.receivers.size + 1;
    for (const other of this.#contacts.keys()) {
      if (this.#idCount <= idsMax || other === contact) return;
      this.#forget(other);
    }
  }

  #forget(contact: string): void {
    const known = this.#contacts.get(contact);
    if (known) this.#idCount -= known.receivers.size + 1;
    this.#contacts.delete(contact);
  }
}
