import type { LinePosition } from './messages.ts';

/** The contact's most recently ended instance that received messages. */
export type EndedInstance = Pick<LinePosition, 'id' | 'status' | 'updatedAt'> & {
  readonly seen: readonly string[];
};

/** The stored line of a contact. */
export interface StoredLine {
  /** Instances that have not ended, in order of creation. */
  readonly positions: readonly LinePosition[];
  readonly lastEnded?: EndedInstance;
}

/** The instances of a contact that have not ended, in order of creation. Owns what the contact's object stores. */
export class ContactLine {
  #positions: readonly LinePosition[];
  #lastEnded: EndedInstance | undefined;

  constructor({ positions, lastEnded }: StoredLine = { positions: [] }) {
    this.#positions = positions;
    this.#lastEnded = lastEnded;
  }

  get stored(): StoredLine {
    const lastEnded = this.#lastEnded;
    return { positions: this.#positions, ...(lastEnded && { lastEnded }) };
  }

  get ids(): readonly string[] {
    return this.#positions.map(({ id }) => id);
  }

  get lastEnded(): EndedInstance | undefined {
    return this.#lastEnded;
  }

  get holder(): string | undefined {
    return this.#positions.find(({ holds }) => holds)?.id;
  }

  get firstWaiting(): string | undefined {
    return this.#positions.find(({ waits }) => waits)?.id;
  }

  /** The time of creation of the next instance: strictly increasing, even within one millisecond and if clocks differ. */
  nextCreatedAt(now: number): number {
    return Math.max(now, (this.#positions.at(-1)?.createdAt ?? -Infinity) + 0.001);
  }

  add(position: LinePosition): void {
    this.#positions = [...this.#positions, position];
    this.update(position);
  }

  /** Stores the new position of an instance. A position that is older than the known one changes nothing. */
  update(position: LinePosition): void {
    const known = this.#positions.find(({ id }) => id === position.id);
    if (!known || known.revision > position.revision) return;
    if (!position.ended) {
      this.#positions = this.#positions.map((each) => (each === known ? position : each));
      return;
    }
    this.#positions = this.#positions.filter((each) => each !== known);
    const { id, status, seen = [], updatedAt } = position;
    if (seen.length > 0 && updatedAt >= (this.#lastEnded?.updatedAt ?? -Infinity))
      this.#lastEnded = { id, status, seen, updatedAt };
  }

  get isEmpty(): boolean {
    return this.#positions.length === 0 && this.#lastEnded === undefined;
  }

  /** Removes an instance that was erased. */
  remove(id: string): void {
    this.#positions = this.#positions.filter((each) => each.id !== id);
    if (this.#lastEnded?.id === id) this.#lastEnded = undefined;
  }
}
