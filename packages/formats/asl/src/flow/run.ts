import type { Json, JsonObject } from '@dramaturg/compiler';
import type { NodePlace, World } from '@dramaturg/compiler/machine';
import type { Work } from '../data/work.ts';
import type { Dialect, MissingPaths } from '../definition/index.ts';
import type { Item } from './context-object.ts';

/** The inputs of every expression during one visit of a state. */
export interface Run {
  readonly dialect: Dialect;
  readonly missing: MissingPaths;
  /** The input of the state. */
  readonly input: Json;
  readonly variables: Variables;
  /** Creates `$$` or `$states.context` on demand, with the item of a Map when one is given. */
  readonly context: (item?: Item) => JsonObject;
  readonly world: World;
  /** Counts the work of all expressions. */
  readonly work: Work;
  /** Receives the data between two fields. Only `testState` sets it. */
  readonly inspect?: (stage: Stage, value: Json) => void;
}

export type Variables = Readonly<Record<string, Json>>;

/** AWS's names for the data between two fields and for the settings of a Map. Spec: AWS "TestState", InspectionData */
type Stage =
  | 'afterInputPath'
  | 'afterParameters'
  | 'afterArguments'
  | 'afterItemsPath'
  | 'afterItemsPointer'
  | 'afterItemSelector'
  | 'afterItemBatcher'
  | 'maxConcurrency'
  | 'toleratedFailureCount'
  | 'toleratedFailurePercentage'
  | 'request'
  | 'result'
  | 'response'
  | 'afterResultSelector'
  | 'afterResultPath';

/** The result of a state. */
export interface Outcome {
  readonly output: Json;
  readonly variables: Variables;
  /** The variables that `Assign` of this state has set. */
  readonly assigned?: Variables;
}

/** An error as `Catch` stores it. Both are null when the person or service that failed a task gave none. */
export interface Failure {
  readonly error: string | null;
  readonly cause: string | null;
  /** A missed heartbeat: retriers and catchers may also name it `States.HeartbeatTimeout`. */
  readonly isSilence?: true;
  /** The state that has failed, for people. */
  readonly at?: NodePlace;
}
