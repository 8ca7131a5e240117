import type { Json, JsonObject } from '@dramaturg/compiler';

/** The identity of a run; the same for all of its branches and items. */
export interface Execution {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number;
  readonly input: Json;
  /** More fields of `$$.Execution` and `$$.StateMachine`, from the input of the workflow. */
  readonly context?: { readonly Execution?: JsonObject; readonly StateMachine?: JsonObject };
}
