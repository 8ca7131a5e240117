import type { Json } from '@dramaturg/compiler';
import type { LinearRegex } from '../jsonata/linear-regex.ts';

/**
 * A parsed JSONPath. Spec: states-language.net/spec.html#path, Agent 3 §JSONPath. AWS reads paths like the
 * implementation by Jayway.
 */
export interface Path {
  readonly text: string;
  /** `$` is the state's data, `$$` the context object, `$name` a variable. */
  readonly root: string;
  readonly steps: readonly Step[];
  /** Has one value at most. Any other path gives a list of values. */
  readonly isDefinite: boolean;
}

export type Step =
  | { readonly kind: 'name'; readonly name: string }
  /** Negative counts from the end. */
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'several'; readonly keys: readonly (string | number)[] }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly kind: 'wildcard' }
  /** The value itself and everything below it. */
  | { readonly kind: 'descent' }
  | { readonly kind: 'filter'; readonly test: Test }
  | { readonly kind: 'function'; readonly name: PathFunction };

export type PathFunction =
  | 'length'
  | 'size'
  | 'min'
  | 'max'
  | 'avg'
  | 'sum'
  | 'stddev'
  | 'keys'
  | 'first'
  | 'last';

/** The condition of a filter. */
export type Test =
  | { readonly operator: 'and' | 'or'; readonly tests: readonly Test[] }
  | { readonly operator: 'not'; readonly test: Test }
  | { readonly operator: 'exists'; readonly path: Path }
  | { readonly operator: 'matches'; readonly text: Operand; readonly pattern: LinearRegex }
  | { readonly operator: Comparison; readonly left: Operand; readonly right: Operand };

export type Comparison =
  | '=='
  | '!='
  | '==='
  | '!=='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'nin'
  | 'contains'
  | 'subsetof'
  | 'anyof'
  | 'noneof'
  | 'all'
  | 'size'
  | 'empty';

/** `@` is the element, `$` the data as a whole. */
export type Operand = { readonly path: Path } | { readonly value: Json };

/** Why a text cannot be parsed, as a clause. */
export interface Fault {
  readonly fault: string;
}

export function isFault(found: object): found is Fault {
  return 'fault' in found;
}
