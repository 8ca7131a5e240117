import type { Json, JsonObject, Path } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import {
  agentOnly,
  atLeast0,
  block,
  type Blocks,
  constant,
  flag,
  jsonataOnly,
  number,
  optional,
  pathOnly,
  percentage,
  positiveCount,
  type QueryLanguage,
  described,
  text,
} from './field.ts';

const count = constant('a whole number, 0 or more', atLeast0);

/** Spec: Agent 8 §Retry, Amazon #errors */
export const retrier = z.object({
  Comment: optional(text, 'What people should know of the entry.'),
  /** Agent 8, Amazon #retrying-after-error */
  ErrorEquals: described(z.array(text), 'The names of the errors after which to try again.'),
  /** Agent 8, Amazon #retrying-after-error */
  IntervalSeconds: optional(count, 'Before the first retry; 1 when left out.'),
  /** Agent 8, Amazon #retrying-after-error */
  MaxAttempts: optional(count, 'Retries, not calls; 3 when left out.'),
  /** Agent 8, Amazon #retrying-after-error */
  BackoffRate: optional(
    constant('a number, 1 or more', { type: 'number', minimum: 1 }),
    'The factor by which delays grow; 2 when left out.',
  ),
  /** Agent 8, Amazon #retrying-after-error, AWS "Handling errors" */
  MaxDelaySeconds: optional(
    constant('a whole number of seconds from 1 to 31,622,399', {
      type: 'integer',
      minimum: 1,
      maximum: 366 * 24 * 3600 - 1,
    }),
    'The longest delay: less than a leap year.',
  ),
  MaxIntervalSeconds: agentOnly(positiveCount, '`MaxDelaySeconds` in tutorial 11.'),
  /** Agent 8 adds `DECORRELATED` to Amazon's two. Amazon #retrying-after-error */
  JitterStrategy: optional(text, '`NONE` when left out.'),
});

/** Spec: Agent 8 §Catch, Amazon #fallback-states */
export const catcher = z.object({
  Comment: optional(text, 'What people should know of the entry.'),
  /** Agent 8, Amazon #fallback-states */
  ErrorEquals: described(z.array(text), 'The names of the errors that are caught.'),
  /** Agent 8, Amazon #fallback-states */
  Next: described(text, 'The state that deals with the error.'),
  /** Agent 8, Amazon #fallback-states */
  ResultPath: pathOnly(z.nullable(text), "Where the error goes in the state's input."),
  /** Amazon #fallback-states */
  Output: jsonataOnly(z.unknown(), 'The output that goes to `Next`.'),
  /** Amazon #variables */
  Assign: optional(block, 'Variables to set, for states that come later.'),
});

const retryAndCatch = {
  /** Agent 2 §Task State, Amazon #retrying-after-error */
  Retry: optional(z.array(retrier), 'When to try again.'),
  /** Agent 2 §Task State, Amazon #fallback-states */
  Catch: optional(z.array(catcher), 'Where errors lead.'),
};

export type JitterStrategy = 'NONE' | 'FULL' | 'DECORRELATED';

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds: number;
  readonly MaxAttempts: number;
  readonly BackoffRate: number;
  readonly MaxDelaySeconds: number | undefined;
  readonly JitterStrategy: JitterStrategy;
  readonly at: Path;
  readonly authored: Readonly<Record<string, unknown>>;
}

export interface Catcher {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
  /** Null discards the error. The default is `$` in Amazon's dialect, and `$.error` in agents' workflows. */
  readonly ResultPath: string | null;
  readonly Output: Json | undefined;
  readonly Assign: JsonObject | undefined;
  readonly at: Path;
  readonly authored: Readonly<Record<string, unknown>>;
}

export interface HasRecovery {
  readonly Retry: readonly Retrier[];
  readonly Catch: readonly Catcher[];
}

const milestone = z.object({
  At: described(percentage, 'Percent.'),
  Name: optional(text, 'The name of the milestone.'),
  Emit: optional(text, 'The event that is emitted in addition to the name.'),
});

/** Progress reports of a state. Agent 9 §Progress */
const stateProgress = z.object({
  Enabled: optional(flag, 'Whether progress is reported.'),
  Path: optional(
    text,
    'Where the output has the progress: a number, or `{ percentage, milestone, message }`.',
  ),
  Milestones: optional(z.array(milestone), 'Percentages with names.'),
  HeartbeatOnUpdate: optional(flag, 'Has no effect yet.'),
  Aggregation: optional(
    z.enum(['average', 'minimum', 'weighted']),
    'Of a Parallel: how the percentages of its branches are combined; `average` when left out.',
  ),
  PerBranch: optional(flag, 'Of a Parallel: reports the percentage of each branch too.'),
  PerItem: optional(flag, 'Of a Map.'),
  AggregateBy: optional(z.unknown(), 'Has no effect yet.'),
});

/** Progress reports of a workflow. Agent 9 §Progress */
export const workflowProgress = z.object({
  Enabled: optional(flag, 'Whether progress is reported.'),
  TotalStates: optional(
    positiveCount,
    'How many states a run completes; all of them when left out.',
  ),
  WeightedProgress: optional(
    z.record(z.string(), number('a number, 0 or more', { type: 'number', minimum: 0 })),
    'The weight of each state, in any unit.',
  ),
});

/** The completed states of a machine, and their share of it. */
export interface CompletedStates {
  readonly states: readonly string[];
  /** From 0 to 100. */
  readonly percentage: number;
}

/** The weights of a machine's states. */
export interface ProgressWeights {
  /** The sum of all weights. */
  readonly total: number;
  /** By state; each is 1 when left out. */
  readonly weights?: Readonly<Record<string, number>>;
}

/** The Parallel of a branch that reports progress. */
export interface ReportingParallel extends JsonObject {
  /** Id of its node. */
  readonly state: string;
  /** The machine it is in. */
  readonly machine: string;
  /** Names of the machines of its branches. */
  readonly branches: string[];
  /** The number of states of each. */
  readonly sizes: number[];
}

const stateEvent = z.object({
  Type: described(text, 'The name of the event.'),
  Include: optional(z.array(text), 'Paths of data that the event carries.'),
});

/** Agent 9 §Events */
const stateEvents = z.object({
  OnEnter: optional(stateEvent, 'The event on entering the state.'),
  OnExit: optional(stateEvent, 'The event on leaving the state.'),
  OnError: optional(stateEvent, 'The event on an error of the state.'),
});

/**
 * The fields that states of several types have. A doc line ends with where the field is specified: `Agent 2` is
 * github.com/agent-state-language/agent-state-language, spec/2-state-types.md, and so on for its chapters 1 to 10;
 * `Amazon #task-state` is states-language.net/spec.html#task-state.
 */
export const common = {
  /** Agent 2 §Common Fields, Amazon #statefields */
  Comment: optional(text, 'What people should know of the state.'),
  /** Amazon #query-language */
  QueryLanguage: optional(
    z.enum(['JSONPath', 'JSONata']),
    'The language of the expressions in this state.',
  ),
};

const filters = {
  /** Agent 2 §Common Fields, Amazon #filters */
  InputPath: pathOnly(
    z.nullable(text),
    "The part of the state's input that it works on; null is an empty object.",
  ),
  /** Agent 2 §Common Fields, Amazon #filters */
  OutputPath: pathOnly(
    z.nullable(text),
    'The part of the outcome that becomes the output; null is an empty object.',
  ),
};

/** Replaces `OutputPath` in JSONata states. */
const output = {
  /** Amazon #state-output */
  Output: jsonataOnly(z.unknown(), "The state's output."),
};

const assign = {
  /** Amazon #variables */
  Assign: optional(block, 'Variables to set, for states that come later.'),
};

export const parameters = {
  /** Agent 2 §Task State, Amazon #parameters */
  Parameters: pathOnly(z.unknown(), 'The input of the work, a template.'),
};

/** The input of the work in JSONata states. */
const workArguments = {
  /** Amazon #arguments-jsonata */
  Arguments: jsonataOnly(z.unknown(), 'The input of the work.'),
};

const resultPath = {
  /** Agent 2 §Task State, Amazon #filters */
  ResultPath: pathOnly(
    z.nullable(text),
    "Where the result goes in the state's input; null discards it.",
  ),
};

const resultSelector = {
  /** Agent 2 §Task State, Amazon #filters */
  ResultSelector: pathOnly(z.unknown(), 'The result in another form, a template.'),
};

const transition = {
  /** Agent 2 §Task State, Amazon #transition */
  Next: optional(text, 'The state that comes next.'),
  /** Agent 2 §Task State, Amazon #transition */
  End: optional(flag, 'Whether the workflow, or the branch, ends here.'),
};

/** Blocks of Agent State Language that any state may carry. */
const agentBlocks = {
  /** Agent 9 §Events */
  Events: agentOnly(stateEvents, 'Events on entering, on leaving and on errors.'),
  /** Agent 9 §Progress */
  Progress: agentOnly(stateProgress, 'Reports of progress.'),
  /** Agent 1 §Metadata */
  Metadata: agentOnly(block, 'Data for other programs.'),
};

const groups = {
  filters,
  output,
  assign,
  parameters,
  workArguments,
  resultPath,
  resultSelector,
  retryAndCatch,
  transition,
  agentBlocks,
};

type Groups = readonly (keyof typeof groups)[];

/** The groups of a state that works, in both query languages. */
export const workFields: Groups = [
  'filters',
  'parameters',
  'workArguments',
  'resultSelector',
  'resultPath',
  'output',
  'assign',
  'retryAndCatch',
  'transition',
  'agentBlocks',
];

/** The groups of a state of Agent State Language that works. */
export const agentWorkFields: Groups = [
  'filters',
  'parameters',
  'resultSelector',
  'resultPath',
  'retryAndCatch',
  'transition',
  'agentBlocks',
];

/**
 * The fields of a state type, in their order.
 *
 * @param shared the groups of fields that other types have as well
 * @param own the fields that only this type has
 */
export function stateObject(shared: Groups, own: z.core.$ZodShape = {}): z.ZodMiniObject {
  const fields: z.core.$ZodShape[] = shared.map((name) => groups[name]);
  return z.object(Object.assign({ ...common }, ...fields, own) as z.core.$ZodShape);
}

/** The parts of `agentBlocks` whose fields are checked. */
export const commonBlocks: Blocks = {
  Progress: ['The progress of a state', stateProgress],
  'Progress.Milestones.[]': ['A milestone', milestone],
  Events: ['The events of a state', stateEvents],
  'Events.OnEnter': ['An event of a state', stateEvent],
  'Events.OnExit': ['An event of a state', stateEvent],
  'Events.OnError': ['An event of a state', stateEvent],
};

/** A literal value, or where it comes from: a path, an intrinsic function or JSONata. */
export type ValueSource<Value extends Json = Json> =
  | { readonly value: Value; readonly at: Path }
  | { readonly path: string; readonly at: Path }
  | { readonly expression: string; readonly at: Path };

/** The fields of every state in one spelling. */
export interface StateBase {
  readonly name: string;
  readonly Comment: string | undefined;
  readonly QueryLanguage: QueryLanguage;
  /** Only in JSONPath states; `$` when left out. */
  readonly InputPath: string | null;
  /** Only in JSONPath states; `$` when left out. */
  readonly OutputPath: string | null;
  /** Only in JSONata states. */
  readonly Output: Json | undefined;
  readonly Assign: JsonObject | undefined;
  /** The path of the state in the definition as authored. */
  readonly at: Path;
  /** The state as authored, for rules about fields and for agents to read. */
  readonly authored: Readonly<Record<string, unknown>>;
}

/** Where a state leads: to another one, or with `End` out of its machine. Rules report a state with neither. */
export interface HasNext {
  readonly Next: string | undefined;
  readonly End: boolean;
}

/** How a state with a result stores it. */
export interface HasResult {
  /** Null discards the result. */
  readonly ResultPath: string | null;
  readonly ResultSelector: Json | undefined;
}

/** The input of a state's work; `Parameters` in JSONPath states, `Arguments` in JSONata states. */
export interface HasInput {
  readonly Parameters: Json | undefined;
  readonly Arguments: Json | undefined;
}
