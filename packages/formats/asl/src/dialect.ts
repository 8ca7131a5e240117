import type { Dialect } from './definition/index.ts';
import type { Failure } from './flow/run.ts';

/**
 * Where Agent State Language and Amazon States Language differ in what a run does: a line each, and code asks for the
 * line by its name. Which functions and fields there are is a matter of the tables that list them.
 */
interface DialectRules {
  /** Where a caught error goes when the catcher does not say. */
  readonly catchResultPath: string;
  /** How many items of a Map are worked on at once when it does not say; 0 is no limit. */
  readonly mapConcurrency: number;
  /** What a comparison does whose `Variable` leads nowhere. */
  readonly missingVariable: 'fails' | 'is false';
  /** Whether a comparison of times may say how far from now: `-5m`. */
  readonly timesAreRelative: boolean;
  /** The error of a path that leads nowhere. */
  readonly missingPath: 'States.ParameterPathFailure' | 'States.Runtime';
  /** How many bytes of UTF-8 the input or output of a state, or what it assigns, may take as JSON. */
  readonly dataLimit: number;
  /** How many bytes all variables may take together. */
  readonly variablesLimit: number;
  /** How many states a workflow, a branch or an item may enter. */
  readonly stepLimit: number;
  /** Whether `States.Runtime` escapes `States.ALL` and `States.TaskFailed`. */
  readonly allSparesRuntime: boolean;
  /** Whether `$$.State.RetryCount` is there in states that cannot be retried. */
  readonly retriesAlwaysShown: boolean;
  /** What a Fail without words fails with. */
  readonly wordlessFail: Failure;
  /** Names that stand for one and the same error. */
  readonly sameErrors: readonly (readonly string[])[];
  /** Whether `States.ArrayRange` stops before its end. */
  readonly rangeExcludesEnd: boolean;
  /** Whether `States.Format` insists on as many arguments as there are holes. */
  readonly formatIsExact: boolean;
  /** Whether `States.MathAdd` takes whole numbers only. */
  readonly mathIsWhole: boolean;
  /** Whether an index of `States.ArrayGetItem` may count from the end, and lead to null beyond it. */
  readonly itemIndexIsLenient: boolean;
}

const amazon: DialectRules = {
  catchResultPath: '$',
  mapConcurrency: 0,
  missingVariable: 'fails',
  timesAreRelative: false,
  missingPath: 'States.Runtime',
  dataLimit: 262_144,
  variablesLimit: 10 * 1024 * 1024,
  stepLimit: 25_000,
  allSparesRuntime: true,
  retriesAlwaysShown: false,
  wordlessFail: { error: null, cause: null },
  sameErrors: [],
  rangeExcludesEnd: false,
  formatIsExact: true,
  mathIsWhole: true,
  itemIndexIsLenient: false,
};

/** Spec: the decisions of docs/formats/asl.md */
const agent: DialectRules = {
  catchResultPath: '$.error',
  mapConcurrency: 1,
  missingVariable: 'is false',
  timesAreRelative: true,
  missingPath: 'States.ParameterPathFailure',
  dataLimit: 64 * 1024 * 1024,
  variablesLimit: 256 * 1024 * 1024,
  stepLimit: 25_000,
  allSparesRuntime: false,
  retriesAlwaysShown: true,
  wordlessFail: { error: 'States.Failed', cause: 'Workflow failed' },
  sameErrors: [['RateLimitExceeded', 'States.RateLimitExceeded']],
  rangeExcludesEnd: true,
  formatIsExact: false,
  mathIsWhole: false,
  itemIndexIsLenient: true,
};

export const dialects: Readonly<Record<Dialect, DialectRules>> = { amazon, agent };
