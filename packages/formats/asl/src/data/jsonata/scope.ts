import type { Json, JsonObject } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';

/** The data of an expression. */
export interface JsonataScope {
  /** `$states` */
  readonly states: JsonObject;
  /** `$name`: set by `Assign`. */
  readonly variables: Readonly<Record<string, Json>>;
  readonly world: World;
}
