/** The last message of a person, which an answer refers to. */
export interface LastMessage {
  readonly messageId: string;
  readonly subject: string;
}

/** Maximum number of people whose last message is remembered. */
const peopleMax = 10_000;

/**
 * Remembers the last message of each person, by the canonical address, so that answers are in the same thread. They are in
 * memory: after a restart, an answer is in the thread of its instance.
 */
export class Threads {
  readonly #last = new Map<string, LastMessage>();

  get(contact: string): LastMessage | undefined {
    return this.#last.get(contact);
  }

  note(contact: string, last: LastMessage): void {
    this.#last.delete(contact);
    this.#last.set(contact, last);
    if (this.#last.size <= peopleMax) return;
    const [oldest] = this.#last.keys();
    this.#last.delete(oldest!);
  }
}
