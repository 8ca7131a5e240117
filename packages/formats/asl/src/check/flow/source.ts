import type { Path } from '@dramaturg/compiler';
import type { State } from '../../definition/index.ts';

/** The state and field that wrote the data. */
export interface Source {
  readonly state: State;
  /** The field: `ResultSelector`, `Result`, `Catch`. */
  readonly field: string;
  readonly at: Path;
}

export function sourceAt(state: State, field: string, at: Path = [...state.at, field]): Source {
  return { state, field, at };
}
