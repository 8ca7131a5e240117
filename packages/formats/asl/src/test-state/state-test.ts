import type { Json, JsonObject } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import type { Dialect, MissingPaths } from '../definition/index.ts';
import type { Mock, TestConfiguration } from './tester.ts';

/** A test of a single state, with a mock of its calls. Spec: AWS "TestState" */
export interface StateTest {
  /** A state, or a workflow that contains the state `stateName` at any depth. */
  readonly definition: JsonObject;
  readonly stateName?: string;
  /** An empty object by default. */
  readonly input?: Json;
  /** The whole context object; by default, one as in a run. */
  readonly context?: JsonObject;
  readonly variables?: JsonObject;
  /** The result of the state's work, or its error. A Task, a Map and a Parallel need one. */
  readonly mock?: Mock;
  readonly configuration?: TestConfiguration;
  /** Follows from the definition by default. */
  readonly dialect?: Dialect;
  /** The value of paths to nothing; follows from the definition by default. */
  readonly missing?: MissingPaths;
  readonly world?: World;
}

export interface StateTestResult {
  /** `retriable`: a retrier would try again. `caughtError`: a catcher leads to `nextState`. */
  readonly status: 'succeeded' | 'failed' | 'retriable' | 'caughtError';
  readonly output?: Json;
  readonly error?: string | null;
  readonly cause?: string | null;
  /** Undefined when the state ends its machine. */
  readonly nextState?: string;
  /** The data between two fields up to the end or the failure, under the names of AWS's `InspectionData`. */
  readonly inspection: Readonly<Record<string, Json>>;
}
