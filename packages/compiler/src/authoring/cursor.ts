import type { Path } from '../path.ts';
import type { Span } from '../read/positions.ts';

/** The key or value being typed at an offset. Found from the text before the offset only, because it may be half typed. */
export interface Cursor {
  /** A key of an object, or a value. */
  readonly part: 'key' | 'value';
  /** The path of the value, or of the object that has the key. */
  readonly path: Path;
  /** The key or value under the cursor with its quotes; empty between two others. */
  readonly token: Span;
  readonly quote: '' | '"' | "'";
  /** The text of the token before the cursor, without the quote. */
  readonly typed: string;
  /** In YAML, a value that is alone in its line may become the first key of an object. */
  readonly mayBeKey: boolean;
  readonly hasColon: boolean;
  /** Another key or value follows without a comma. */
  readonly lacksComma: boolean;
  /** In JSON, and within brackets in YAML. */
  readonly isInBrackets: boolean;
  /** The value of the text before the token. */
  readonly before: unknown;
}
