import type { Json, JsonObject, World } from '@dramaturg/compiler';
import type { Dialect } from '../definition/index.ts';
import type { Item } from './context-object.ts';
import { StatesError } from '../data/states-error.ts';

/** What the data of one visit of a state is worked out from. */
export interface Run {
  readonly dialect: Dialect;
  /** What the state was entered with. */
  readonly input: Json;
  readonly variables: Variables;
  /** `$$`, or `$states.context`, made when it is asked for; with the item of a Map when one is given. */
  readonly context: (item?: Item) => JsonObject;
  readonly world: World;
  /** Is told what the data look like between two fields. Only for looking at a state by itself. */
  readonly inspect?: (stage: Stage, value: Json) => void;
}

export type Variables = Readonly<Record<string, Json>>;

/** AWS's names of the data between two fields, and of what a Map works by. Spec: AWS "TestState", InspectionData */
type Stage =
  | 'afterInputPath'
  | 'afterParameters'
  | 'afterArguments'
  | 'afterItemsPath'
  | 'afterItemSelector'
  | 'maxConcurrency'
  | 'toleratedFailureCount'
  | 'toleratedFailurePercentage'
  | 'result'
  | 'afterResultSelector'
  | 'afterResultPath';

/** What a state hands on. */
export interface Outcome {
  readonly output: Json;
  readonly variables: Variables;
  /** What `Assign` has set just now. */
  readonly assigned?: Variables;
}

/** An error as `Catch` stores it. Both are null when a person or a service that failed a task did not say. */
export interface Failure {
  readonly error: string | null;
  readonly cause: string | null;
  /** A timeout because nothing was heard of the task: retriers and catchers may name it `States.HeartbeatTimeout`. */
  readonly isSilence?: true;
}

/** The failure that an expression has thrown. Anything but a `StatesError` is a mistake of ours and goes on. */
export function failureFrom(thrown: unknown): Failure {
  if (thrown instanceof StatesError) return { error: thrown.error, cause: thrown.message };
  throw thrown;
}
