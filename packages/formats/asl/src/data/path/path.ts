import type { LinearRegex } from '../jsonata/linear-regex.ts';

/**
 * A parsed JSONPath. Spec: states-language.net/spec.html#path, Agent 3 §JSONPath. AWS reads paths like version 2.0 of the
 * library by Jayway, of 2015: there are no functions in paths, and filters compare with symbols only.
 */
export interface Path {
  readonly text: string;
  /** `$` is the state's data, `$$` the context object, `$name` a variable. */
  readonly root: string;
  readonly steps: readonly Step[];
  /** The path has one value at most. Any other path gives a list of values. */
  readonly isDefinite: boolean;
}

export type Step =
  | { readonly kind: 'name'; readonly name: string }
  /** `['a', 'b']`: one object with these fields. Only the last step may have this kind. */
  | { readonly kind: 'names'; readonly names: readonly string[] }
  /** A negative index counts from the end in the agent dialect, and leads nowhere in Amazon's. */
  | { readonly kind: 'index'; readonly index: number }
  /** `[(@.length-1)]` */
  | { readonly kind: 'fromEnd'; readonly back: number }
  | { readonly kind: 'indexes'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number }
  | { readonly kind: 'wildcard' }
  /** The value itself and everything below it. */
  | { readonly kind: 'descent' }
  | { readonly kind: 'filter'; readonly test: Test };

const definiteKinds: ReadonlySet<Step['kind']> = new Set(['name', 'names', 'index', 'fromEnd']);

export function isDefiniteStep({ kind }: Step): boolean {
  return definiteKinds.has(kind);
}

/** The condition of a filter. */
export type Test =
  | { readonly operator: 'and' | 'or'; readonly tests: readonly Test[] }
  /** Null counts as absent. */
  | { readonly operator: 'exists'; readonly path: Path; readonly isWanted: boolean }
  | { readonly operator: '=~'; readonly value: Operand; readonly pattern: LinearRegex }
  | { readonly operator: Comparison; readonly left: Operand; readonly right: Operand };

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** `@` is the element, `$` the data as a whole. All literals are strings: `5`, `true` and `'a'`. */
export type Operand = { readonly path: Path } | { readonly literal: string };

/** Why a string cannot be parsed, as a clause. */
export interface Fault {
  readonly fault: string;
}

export function isFault(found: object): found is Fault {
  return 'fault' in found;
}
