import type { Diagnostic, Range } from '../diagnostic.ts';
import type { Path } from '../path.ts';

/** A parsed text: its value, and the location of each part of the value. */
export interface Source {
  readonly text: string;
  /** Plain JSON data (no cycles, no shared parts, no key `__proto__`); undefined when nothing could be read. */
  readonly value: unknown;
  /** The problems of the text, by position. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * The range of the value at a path, or of the key that names it. For a path that leads nowhere, the range of its deepest part
   * that exists: a missing field is reported at the object that lacks it.
   */
  locate(path: Path, part?: 'value' | 'key'): Range;
}
