import type { Json, JsonObject, World } from '@dramaturg/compiler';

/** The data of an expression. */
export interface JsonataScope {
  /** `$states` */
  readonly states: JsonObject;
  /** `$name`: set by `Assign`. */
  readonly variables: Readonly<Record<string, Json>>;
  readonly world: World;
}
