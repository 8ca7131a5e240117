import type { Letter } from '../store/contract.ts';

import {
  continuation,
  type FamilyLetter,
  isFamilyLetter,
  type MessageLetter,
  type OutboxLetter,
} from './letter.ts';

/** Owns the outbox of an instance: the stored letters, and the changes of the present step. */
export class Outbox {
  readonly #letters: Map<string, OutboxLetter>;
  /** Letters that are not stored yet. */
  #added = new Map<string, Letter>();
  #settled: string[] = [];
  /** Accepted messages without a stored receipt. */
  readonly #accepted = new Set<string>();
  /** Calls with a part that was shown. */
  readonly #streamed = new Set<string>();

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

  /** Letters to the parent and to children, in the order in which they were decided. */
  get familyLetters(): readonly { readonly letter: string; readonly body: FamilyLetter }[] {
    const found = [];
    for (const [letter, body] of this.#letters)
      if (isFamilyLetter(body)) found.push({ letter, body });
    return found;
  }

  message(letter: string): MessageLetter | undefined {
    const body = this.#letters.get(letter);
    return body?.kind === 'message' ? body : undefined;
  }

  /** When an open call was decided, in milliseconds since 1970 UTC; undefined when it is not known. */
  callTime(letter: string): number | undefined {
    const body = this.#letters.get(letter);
    return body?.kind === 'call' ? body.at : undefined;
  }

  /** @returns false when the outbox already has the letter, for example after a crash */
  add(letter: string, body: OutboxLetter): boolean {
    if (this.#letters.has(letter)) return false;
    this.#letters.set(letter, body);
    this.#added.set(letter, { id: letter, body });
    return true;
  }

  /** Copies the knowledge about letters that is not stored. */
  knowAs(before: Outbox): void {
    for (const letter of before.#accepted) this.noteAccepted(letter);
    for (const letter of before.#streamed) this.noteStreamed(letter);
  }

  noteAccepted(letter: string): void {
    this.#accepted.add(letter);
  }

  /** Whether the channel has the message, although its letter is still in the outbox. */
  isAccepted(letter: string): boolean {
    return this.#letters.has(letter) && this.#accepted.has(letter);
  }

  noteStreamed(letter: string): void {
    if (this.#letters.has(letter)) this.#streamed.add(letter);
  }

  /** Whether there are open calls without a shown part. */
  get isUnseen(): boolean {
    return this.#streamed.size === 0;
  }

  /** Removes a letter that was answered or is obsolete. */
  settle(letter: string): void {
    this.#streamed.delete(letter);
    this.#accepted.delete(letter);
    if (!this.#letters.delete(letter)) return;
    if (!this.#added.delete(letter)) this.#settled.push(letter);
  }

  /** Removes a letter whose receipt is already in the store. */
  forget(letter: string): void {
    this.#accepted.delete(letter);
    this.#letters.delete(letter);
  }

  /** Replaces the calls in the outbox. */
  setCalls(calls: ReadonlyMap<string, OutboxLetter>): void {
    for (const [letter, { kind }] of this.#letters)
      if (kind === 'call' && !calls.has(letter)) this.settle(letter);
    for (const [letter, body] of calls) this.add(letter, body);
  }

  /** Whether the instance continues without any input. */
  get continues(): boolean {
    return this.#letters.has(continuation);
  }

  set continues(value: boolean) {
    if (value) this.add(continuation, { kind: 'continuation' });
    else this.settle(continuation);
  }

  /** Returns the changes since the last call, and forgets them. */
  takeChanges(): { readonly effects: readonly Letter[]; readonly settled: readonly string[] } {
    const changes = { effects: [...this.#added.values()], settled: this.#settled };
    this.#added = new Map();
    this.#settled = [];
    return changes;
  }
}
