import type { Path } from '@dramaturg/compiler';
import type { Dialect, State } from '../../definition/index.ts';
import type { ValueSet } from './value-set.ts';

/** The data that the expressions of a state can read. */
export interface Sight {
  readonly state: State;
  readonly dialect: Dialect;
  /** The input of the state. */
  readonly input: ValueSet;
  /** The variables, as the fields of an object. */
  readonly variables: ValueSet;
  /** The context object; `withItem` adds the item of the Map. */
  readonly context: ValueSet;
  readonly withItem: (item: ValueSet) => Sight;
  /** Receives every path that no earlier state can have set. */
  readonly report: (missing: MissingValue, at: Path) => void;
}

/** A path to nothing. */
export interface MissingValue {
  readonly text: string;
  /** The beginning of the path. */
  readonly root: 'data' | 'variables' | 'context';
  /** The part of the path that has values, as it would be written. */
  readonly found: string;
  /** The next step, which leads nowhere: `id` or `[0]`. */
  readonly step: string;
  /** The values of the part that is found. */
  readonly values: ValueSet;
  /** Whether other data decides if the path is read. */
  readonly isConditional?: true;
}

/** A sight for an expression that may not be evaluated. */
export function conditional(sight: Sight): Sight {
  return {
    ...sight,
    report: (missing, at) => sight.report({ ...missing, isConditional: true }, at),
  };
}
