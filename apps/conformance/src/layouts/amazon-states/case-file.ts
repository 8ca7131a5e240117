import type { Json, JsonObject } from '@dramaturg/compiler';

/** A recorded case, as it is written. */
export interface RecordedCase {
  readonly id: string;
  readonly area: string;
  /** Which part of the language it needs: `pure`, `stubbed`, `token` or `state`. */
  readonly uses: string;
  readonly queryLanguage: string;
  /** A workflow; in a case of one state perhaps the state alone. */
  readonly definition: JsonObject;
  readonly input: Json;
  readonly expected: Expected;
  /** The replies of the tasks, in order. */
  readonly stubs?: readonly Stub[];
  readonly trace?: Trace;
  /** These texts, in an expected text or as a whole expected value, stand for anything. */
  readonly wildcards?: readonly string[];
  /** When it was recorded: a date, or `now`. */
  readonly clock?: string;

  // Of cases of one state.
  readonly stateName?: string;
  readonly context?: JsonObject;
  readonly variables?: JsonObject;
  readonly mock?: {
    /** JSON, as a text. */
    readonly result?: string;
    readonly errorOutput?: { readonly error?: string; readonly cause?: string };
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
  /** The state that asks; `*` stands for any. */
  readonly state: string;
  readonly input?: Json;
  readonly output?: Json;
  /** How the attempt failed, such as `TaskFailed`; one that ends in `TimedOut` was never answered. */
  readonly outcome?: string;
  readonly error?: string;
  readonly cause?: string;
  /** What was answered at first by a task that waits for its token. */
  readonly submitted?: Json;
}

export interface Trace {
  /** False where branches or items run at once: the names count, and not their order. */
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
  /** JSON, as a text. */
  readonly mapItemReaderData?: string;
}
