import type { Json, JsonObject, World } from '@dramaturg/compiler';
import type { Dialect } from '../definition/index.ts';

/** What paths, intrinsic functions, templates and conditions are evaluated against. */
export interface Evaluation {
  readonly dialect: Dialect;
  /** `$`: what the field in question works on, such as the state's input, or a task's result. */
  readonly data: Json;
  /** What `$.approval` leads to in the `Choices` of an Approval, wherever the record is stored. Agent 6 */
  readonly decision?: string | undefined;
  /** `$$`: the context object. Amazon #context-object */
  readonly context: JsonObject;
  /** `$name`: what `Assign` has set. Amazon #variables */
  readonly variables: Readonly<Record<string, Json>>;
  /** Time and chance. */
  readonly world: World;
}

/** Evaluates what was compiled. Throws a `StatesError` when it has no value. */
export type Evaluate<Value extends Json = Json> = (evaluation: Evaluation) => Value;
