import type { Json, JsonObject } from '@dramaturg/compiler';
import type { ItemCounts } from '@dramaturg/compiler/machine';
import type { StateStep } from '../xstate/state-paths.ts';

/** A place in the text of a definition. Lines and columns begin at 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A state of the definition. */
export interface StatePosition {
  /** The states around it and the state itself, the outermost first. Empty for the definition as a whole. */
  readonly path: readonly StateStep[];
  /** The place of the state in the source of the definition, if the host was given the source. */
  readonly position?: TextPosition;
}

/** A wait of an instance. Times are milliseconds since 1970 UTC. */
export type Wait = StatePosition & {
  readonly source: 'lifecycle' | 'flow';
  /** When the wait began, if the format stores it. */
  readonly since?: number;
  /** When the state fails for taking too long. */
  readonly timeoutAt?: number;
  /** When the state fails unless a heartbeat comes before. */
  readonly heartbeatAt?: number;
} & (
    | {
        readonly for: 'call';
        readonly key: string;
        readonly port: string;
        /** The agent or the tool. */
        readonly name?: string;
        /** The agent sends its heartbeats with this token. */
        readonly heartbeatToken?: string;
        /** The instance that answers the call. */
        readonly instance?: string;
      }
    /** An event from outside that has the token. */
    | { readonly for: 'token'; readonly token: string }
    | { readonly for: 'decision'; readonly id: string; readonly prompt: string }
    | { readonly for: 'timer'; readonly key: string; readonly at: number }
    | ({ readonly for: 'retry'; readonly at: number; readonly attempt: number } & Failure)
    | ({ readonly for: 'items' } & ItemCounts)
    /** A message of the contact. */
    | { readonly for: 'message' }
    /** One of these events. */
    | { readonly for: 'event'; readonly events: readonly string[] }
  );

interface Failure {
  readonly error: string | null;
  readonly cause: string | null;
}

/** The failure of an instance, or of its last turn. */
export interface InstanceFailure extends Failure {
  /** The state in which it happened, if any. */
  readonly state?: StatePosition;
}

/** The input, the output and the waits of an instance. */
export interface InstanceStanding {
  /** The data with which it was started. */
  readonly input: Json;
  /** What a conversation has collected so far, by name; absent when nothing is collected. */
  readonly collected?: JsonObject;
  /** The output of an ended instance; absent when it has failed. */
  readonly output?: Json;
  readonly failure?: InstanceFailure;
  /** When the whole run fails for taking too long, milliseconds since 1970 UTC. */
  readonly timeoutAt?: number;
  /** The states in which it rests. */
  readonly states: readonly StatePosition[];
  readonly waits: readonly Wait[];
}
