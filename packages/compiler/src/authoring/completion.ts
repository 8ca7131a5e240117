import type { Span } from '../read/positions.ts';

/** Something that an author may write at the cursor. */
export interface Completion {
  readonly label: string;
  readonly kind: 'field' | 'value' | 'name' | 'word';
  /** A short description: `state, strict`. */
  readonly detail?: string;
  /** Its meaning, in a sentence. */
  readonly description?: string;
  /** The text to insert. */
  readonly insert: string;
  /** Where the cursor goes, as an offset in the inserted text. */
  readonly caret: number;
  /** The part of the text that it replaces. */
  readonly span: Span;
}
