import type { Json, JsonObject } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import type { Work } from '../work.ts';

/** The data of an expression. */
export interface JsonataScope {
  /** `$states` */
  readonly states: JsonObject;
  /** `$name`: set by `Assign`. */
  readonly variables: Readonly<Record<string, Json>>;
  readonly world: World;
  /** The work of all expressions of the state. Left out, the work of this one. */
  readonly work?: Work;
}
