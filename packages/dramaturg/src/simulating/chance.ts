import { createHash } from 'node:crypto';

/** Random numbers that follow from a name: the same name gives the same numbers. */
export class Chance {
  readonly #name: string;
  #drawn = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** A number from 0 up to, not including, 1. */
  next(): number {
    return this.#digest().readUInt32BE(0) / 2 ** 32;
  }

  happens(chance: number): boolean {
    return this.next() < chance;
  }

  /** @param items at least one */
  of<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!;
  }

  /** A UUID of version 4. */
  uuid(): string {
    const digits = this.#digest().toString('hex');
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
  }

  #digest(): Buffer {
    this.#drawn += 1;
    return createHash('sha256').update(`${this.#name} ${this.#drawn}`).digest();
  }
}
