import type { Dialect } from './definition/index.ts';
import type { Failure } from './flow/run.ts';

/**
 * The differences between Agent State Language and Amazon States Language at run time, a line each. Differences in
 * functions and fields are in the tables that list them.
 */
interface DialectRules {
  /** The default `ResultPath` of a catcher. */
  readonly catchResultPath: string;
  /** The default `MaxConcurrency` of a Map; 0 means that the author sets no limit. */
  readonly mapConcurrency: number;
  /** How many items of a Map run at the same time: by default, and at most. 0 means all. */
  readonly itemsAtOnce: Readonly<
    Record<'INLINE' | 'DISTRIBUTED', { readonly unlimited: number; readonly most: number }>
  >;
  /** The result of a comparison whose `Variable` does not exist. */
  readonly missingVariable: 'fails' | 'is false';
  /** Whether a comparison of times may be relative to now: `-5m`. */
  readonly timesAreRelative: boolean;
  /** The error of a path to nothing. */
  readonly missingPath: 'States.ParameterPathFailure' | 'States.Runtime';
  /** How many bytes of UTF-8 the input or output of a state, or what it assigns, may take as JSON. */
  readonly dataLimit: number;
  /** How many bytes all variables may take together. */
  readonly variablesLimit: number;
  /** How many states a workflow, a branch or an item may enter. */
  readonly stepLimit: number;
  /** Whether `States.Runtime` ends the run: no retrier and no catcher applies, even one that names it. */
  readonly runtimeIsFatal: boolean;
  /** Errors of the specification that are reported as `States.Runtime`. */
  readonly reservedErrors: readonly string[];
  /** The `Cause` that a catcher stores for a timeout. */
  readonly timeoutCause: '' | null;
  /** Whether `$$.State.RetryCount` exists in states that cannot be retried. */
  readonly retriesAlwaysShown: boolean;
  /** The failure of a Fail without `Error` and `Cause`. */
  readonly wordlessFail: Failure;
  /** Groups of names for the same error. */
  readonly sameErrors: readonly (readonly string[])[];
  /** Whether `States.ArrayRange` stops before its end. */
  readonly rangeExcludesEnd: boolean;
  /** Whether `States.Format` needs as many arguments as there are holes. */
  readonly formatIsExact: boolean;
  /** Whether `States.MathAdd` takes whole numbers only. */
  readonly mathIsWhole: boolean;
  /** Whether negative indexes in paths, and in slices with two bounds, count from the end. */
  readonly pathsCountFromEnd: boolean;
  /** Whether the path `$` of null is null. */
  readonly nullHasPaths: boolean;
  /** Whether an index of `States.ArrayGetItem` may count from the end, and gives null out of range. */
  readonly itemIndexIsLenient: boolean;
}

const amazon: DialectRules = {
  catchResultPath: '$',
  mapConcurrency: 0,
  // AWS "Map state processing modes". AWS starts 10,000 items of a distributed Map; here they share the memory of a process.
  itemsAtOnce: {
    INLINE: { unlimited: 40, most: 40 },
    DISTRIBUTED: { unlimited: 1000, most: 10_000 },
  },
  missingVariable: 'fails',
  timesAreRelative: false,
  missingPath: 'States.Runtime',
  dataLimit: 262_144,
  variablesLimit: 10 * 1024 * 1024,
  stepLimit: 25_000,
  runtimeIsFatal: true,
  // AWS "Handling errors": reserved for future use.
  reservedErrors: [
    'States.IntrinsicFailure',
    'States.NoChoiceMatched',
    'States.ParameterPathFailure',
  ],
  timeoutCause: '',
  retriesAlwaysShown: false,
  wordlessFail: { error: null, cause: null },
  sameErrors: [],
  rangeExcludesEnd: false,
  formatIsExact: true,
  mathIsWhole: true,
  pathsCountFromEnd: false,
  nullHasPaths: false,
  itemIndexIsLenient: false,
};

/** Spec: the decisions of docs/formats/asl.md */
const agent: DialectRules = {
  catchResultPath: '$.error',
  mapConcurrency: 1,
  itemsAtOnce: {
    INLINE: { unlimited: 0, most: Infinity },
    DISTRIBUTED: { unlimited: 0, most: Infinity },
  },
  missingVariable: 'is false',
  timesAreRelative: true,
  missingPath: 'States.ParameterPathFailure',
  dataLimit: 64 * 1024 * 1024,
  variablesLimit: 256 * 1024 * 1024,
  stepLimit: 25_000,
  runtimeIsFatal: false,
  reservedErrors: [],
  timeoutCause: null,
  retriesAlwaysShown: true,
  wordlessFail: { error: 'States.Failed', cause: 'Workflow failed' },
  sameErrors: [['RateLimitExceeded', 'States.RateLimitExceeded']],
  rangeExcludesEnd: true,
  formatIsExact: false,
  mathIsWhole: false,
  pathsCountFromEnd: true,
  nullHasPaths: true,
  itemIndexIsLenient: true,
};

export const dialects: Readonly<Record<Dialect, DialectRules>> = { amazon, agent };
