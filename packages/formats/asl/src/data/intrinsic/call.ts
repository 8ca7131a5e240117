import type { Path } from '../path/path.ts';

/** A call of an intrinsic function, taken apart. Spec: states-language.net/spec.html#intrinsic-functions */
export interface Call {
  readonly name: string;
  readonly args: readonly Argument[];
}

export type Argument =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'path'; readonly path: Path }
  /** With its escapes as they are written: `States.Format` tells `\{` from `{`. */
  | { readonly kind: 'text'; readonly written: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'word'; readonly value: boolean | null };

/** `\'`, `\\`, `\{` and `\}` stand for the character alone; there are no other escapes. */
export function unescaped(written: string): string {
  return written.replace(/\\(['\\{}])/g, '$1');
}
