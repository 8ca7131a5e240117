import type { Path } from '../path/path.ts';

/** A parsed call of an intrinsic function. Spec: states-language.net/spec.html#intrinsic-functions */
export interface Call {
  readonly name: string;
  readonly args: readonly Argument[];
}

export type Argument =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'path'; readonly path: Path }
  /** A string with unresolved escapes: `States.Format` treats `\{` differently from `{`. */
  | { readonly kind: 'text'; readonly written: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'word'; readonly value: boolean | null };

/** Resolves `\'`, `\\`, `\{` and `\}`, the only escapes. */
export function unescaped(written: string): string {
  return written.replace(/\\(['\\{}])/g, '$1');
}
