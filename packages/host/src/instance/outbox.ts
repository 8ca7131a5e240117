import type { Letter } from '../store/contract.ts';
import { isKinLetter, type KinLetter } from './children.ts';
import type { MessageLetter, OutboxLetter } from './letter.ts';

/** The outbox of an instance as it is stored, and what the present step changes of it. */
export class Outbox {
  readonly #letters: Map<string, OutboxLetter>;
  #added: Letter[] = [];
  #settled: string[] = [];

  constructor(letters: readonly Letter[]) {
    this.#letters = new Map(letters.map(({ id, body }) => [id, body as OutboxLetter]));
  }

  /** Messages for the channel, in the order in which they were decided. */
  get messages(): readonly { readonly letter: string; readonly body: MessageLetter }[] {
    const found = [];
    for (const [letter, body] of this.#letters)
      if (body.kind === 'message') found.push({ letter, body });
    return found;
  }

  /** Letters to instances above and below, in the order in which they were decided. */
  get kin(): readonly { readonly letter: string; readonly body: KinLetter }[] {
    const found = [];
    for (const [letter, body] of this.#letters) if (isKinLetter(body)) found.push({ letter, body });
    return found;
  }

  message(letter: string): MessageLetter | undefined {
    const body = this.#letters.get(letter);
    return body?.kind === 'message' ? body : undefined;
  }

  /** @returns false when it lies there already: asked for again, as after a crash, it is the same letter */
  add(letter: string, body: OutboxLetter): boolean {
    if (this.#letters.has(letter)) return false;
    this.#letters.set(letter, body);
    this.#added.push({ id: letter, body });
    return true;
  }

  /** The letter has been answered, or is not wanted any more. */
  settle(letter: string): void {
    if (this.#letters.delete(letter)) this.#settled.push(letter);
  }

  /** The store has the receipt already. */
  forget(letter: string): void {
    this.#letters.delete(letter);
  }

  /** Of calls it has those that are to be made, and no others. */
  setCalls(calls: ReadonlyMap<string, OutboxLetter>): void {
    for (const [letter, { kind }] of this.#letters)
      if (kind === 'call' && !calls.has(letter)) this.settle(letter);
    for (const [letter, body] of calls) this.add(letter, body);
  }

  /** What has changed since this was asked last. */
  takeChanges(): { readonly effects: readonly Letter[]; readonly settled: readonly string[] } {
    const changes = { effects: this.#added, settled: this.#settled };
    this.#added = [];
    this.#settled = [];
    return changes;
  }
}
