import type { Json, JsonObject } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import type { Dialect, MissingPaths } from '../definition/index.ts';
import type { Work } from './work.ts';

/** The inputs of paths, intrinsic functions, templates and conditions. */
export interface Evaluation {
  readonly dialect: Dialect;
  /** The value of a path to nothing. Left out, the evaluation fails. */
  readonly missing?: MissingPaths;
  /** `$`: the data of the field, such as the state's input or a task's result. */
  readonly data: Json;
  /** The value of `$.approval` and `$.decision` in the `Choices` of an Approval, wherever its record is stored. Agent 6 */
  readonly decision?: string | undefined;
  /** `$$`: the context object. Amazon #context-object */
  readonly context: JsonObject;
  /** `$name`: set by `Assign`. Amazon #variables */
  readonly variables: Readonly<Record<string, Json>>;
  /** Time and random values. */
  readonly world: World;
  /** The work of all expressions of the state. Left out, the work of this one. */
  readonly work?: Work;
}

/** Evaluates a compiled expression. Throws a `StatesError` when it has no value. */
export type Evaluate<Value extends Json = Json> = (evaluation: Evaluation) => Value;
