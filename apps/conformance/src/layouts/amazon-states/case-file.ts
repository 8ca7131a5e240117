import type { Json, JsonObject } from '@dramaturg/compiler';

/** The JSON of a recorded case. */
export interface RecordedCase {
  readonly id: string;
  readonly area: string;
  /** The part of the language that the case needs: `pure`, `stubbed`, `token` or `state`. */
  readonly uses: string;
  readonly queryLanguage: string;
  /** A workflow. A case of one state may have only the state. */
  readonly definition: JsonObject;
  readonly input: Json;
  readonly expected: Expected;
  /** The replies of the tasks, in order. */
  readonly stubs?: readonly Stub[];
  readonly trace?: Trace;
  /** Wildcards: each of these strings matches anything, within an expected string or as a whole expected value. */
  readonly wildcards?: readonly string[];
  /** The time of the recording: a date, or `now`. */
  readonly clock?: string;

  // Only for cases of one state, like the next fields.
  readonly stateName?: string;
  readonly context?: JsonObject;
  readonly variables?: JsonObject;
  readonly mock?: {
    /** JSON, as a string. */
    readonly result?: string;
    readonly errorOutput?: { readonly error: string; readonly cause?: string };
    readonly fieldValidationMode?: 'STRICT' | 'PRESENT' | 'NONE';
  };
  readonly stateConfiguration?: StateConfiguration;
  readonly inspection?: JsonObject;
}

export interface Expected {
  readonly status: string;
  readonly output?: Json;
  readonly error?: string;
  readonly cause?: string;
  readonly nextState?: string;
}

export interface Stub {
  /** The state that calls; `*` means any state. */
  readonly state: string;
  readonly input?: Json;
  readonly output?: Json;
  /** The kind of failure of the attempt, such as `TaskFailed`. An outcome that ends in `TimedOut` means that no answer came. */
  readonly outcome?: string;
  readonly error?: string;
  readonly cause?: string;
  /** The first answer of a task that waits for a token. */
  readonly submitted?: Json;
}

export interface Trace {
  /** False if branches or items run in parallel: then the order of names is not compared. */
  readonly ordered: boolean;
  readonly events: readonly TraceEvent[];
}

export type TraceEvent = Entered | Exited;

interface Entered {
  readonly enter: string;
  readonly type: string;
  readonly input?: Json;
}

interface Exited {
  readonly exit: string;
  readonly output?: Json;
  readonly assigned?: JsonObject;
}

interface StateConfiguration {
  readonly retrierRetryCount?: number;
  readonly errorCausedByState?: string;
  readonly mapIterationFailureCount?: number;
  /** JSON, as a string. */
  readonly mapItemReaderData?: string;
}
