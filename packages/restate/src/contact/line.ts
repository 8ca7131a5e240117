import type { LinePosition } from './messages.ts';

/** The stored line of a contact. */
export interface StoredLine {
  /** Instances that have not ended, in order of creation. */
  readonly positions: readonly LinePosition[];
}

/** The instances of a contact that have not ended, in order of creation. Owns what the contact's object stores. */
export class ContactLine {
  #positions: readonly LinePosition[];

  constructor({ positions }: StoredLine = { positions: [] }) {
    this.#positions = positions;
  }

  get stored(): StoredLine {
    return { positions: this.#positions };
  }

  get ids(): readonly string[] {
    return this.#positions.map(({ id }) => id);
  }

  /** The youngest instance that holds the contact: a child is younger than its parent, which lends it the contact. */
  get holder(): string | undefined {
    return this.#positions.findLast(({ holds }) => holds)?.id;
  }

  /** Whether another instance than these holds the contact. */
  isHeldBesides(ids: readonly string[]): boolean {
    return this.#positions.some(({ id, holds }) => holds && !ids.includes(id));
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
    if (position.ended) this.remove(position.id);
    else this.#positions = this.#positions.map((each) => (each === known ? position : each));
  }

  get isEmpty(): boolean {
    return this.#positions.length === 0;
  }

  /** Removes an instance that has ended or was erased. */
  remove(id: string): void {
    this.#positions = this.#positions.filter((each) => each.id !== id);
  }
}
