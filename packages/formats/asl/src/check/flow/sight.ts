import type { Path } from '@dramaturg/compiler';
import type { Dialect, State } from '../../definition/index.ts';
import type { ValueSet } from './value-set.ts';

/** What the expressions of a state can see. */
export interface Sight {
  readonly state: State;
  readonly dialect: Dialect;
  /** The input of the state. */
  readonly input: ValueSet;
  /** The variables, as the fields of an object. */
  readonly variables: ValueSet;
  /** The context object; with the item of the Map, where `withItem`. */
  readonly context: ValueSet;
  readonly withItem: (item: ValueSet) => Sight;
  /** Receives every path that no state before can have set. */
  readonly report: (missing: MissingValue, at: Path) => void;
}

/** A path to nothing. */
export interface MissingValue {
  readonly text: string;
  /** What the path begins with. */
  readonly root: 'data' | 'variables' | 'context';
  /** The part of the path that has values, as it would be written. */
  readonly found: string;
  /** The next step, which leads nowhere: `id` or `[0]`. */
  readonly step: string;
  /** The values of the part that is found. */
  readonly values: ValueSet;
  /** Whether it depends on other data that the path is read. */
  readonly isConditional?: true;
}

/** The same for an expression of which it depends on other data whether it is evaluated. */
export function conditional(sight: Sight): Sight {
  return {
    ...sight,
    report: (missing, at) => sight.report({ ...missing, isConditional: true }, at),
  };
}
