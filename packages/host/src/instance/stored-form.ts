import type { Change, Committed } from '../store/contract.ts';
import { JournalLines } from './journal-lines.ts';
import { SnapshotParts } from './snapshot-parts.ts';
import type { StepChange } from './step-result.ts';

/**
 * Turns the changes of one instance into their stored form: the snapshot in parts, and lines without repeated large values. It
 * must get every change of the instance, in order, and cannot be used after a failed write.
 */
export class StoredForm {
  readonly #parts: SnapshotParts;
  readonly #journal = new JournalLines();
  #lineCount = 0;

  /** @param parts the stored parts; none for a new instance */
  constructor(parts = new SnapshotParts()) {
    this.#parts = parts;
  }

  of({ state, ...change }: StepChange): Required<Omit<Change, 'id' | 'expectedRevision'>> {
    const journal = this.#journal.shorten(change.journal);
    this.#lineCount = journal.length;
    return { ...change, ...this.#parts.divide(state), journal };
  }

  /** Notes that the last change is stored. */
  stored({ journalLength }: Committed): void {
    this.#journal.stored(journalLength - this.#lineCount, (text) => this.#parts.hasText(text));
  }
}
