/* oxlint-disable typescript/no-explicit-any -- Each format has a context of its own. */
import type { NodeMeta } from '../chart/chart.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ItemView } from './each-items.ts';

/**
 * Facts about a stored run that only its format can read. The host finds its resting states and open calls itself, in the
 * snapshot and the chart.
 */
export interface Standing<Context = any> {
  /** The failure of a machine that has ended. `machine` is the id of its chart. */
  readonly failure?: (context: Context, machine: string) => RunFailure | undefined;
  /** Describes a state in which the machine rests. */
  readonly visit?: (context: Context, resting: RestingState) => StateVisit;
  /**
   * The data that a run was started with, without the data that its definition redacts. The input of the actor when absent.
   *
   * @param root the meta of the chart
   */
  readonly input?: (input: JsonObject, root: NodeMeta) => Json;
  /** The result of a run, redacted as `input`; undefined when it has failed. The output of the actor when absent. */
  readonly output?: (output: Json, root: NodeMeta) => Json | undefined;
  /** The values that a conversation has collected so far, by name, for people. */
  readonly collected?: (context: Context) => JsonObject;
  /** The items of failed states: no supervisor has them any more. */
  readonly failedItems?: (context: Context) => readonly FailedItems[];
  /**
   * Describes an item of a list for people.
   *
   * @param shared the input that its machine shares with those of the other items
   * @param root the meta of the chart
   */
  readonly item?: (item: ItemView, shared: JsonObject, root: NodeMeta) => ItemDescription;
}

/** The items of a failed state. Stopped items have the status `waiting`. */
export interface FailedItems {
  readonly at: NodePlace;
  readonly shared: JsonObject;
  readonly items: readonly ItemView[];
}

export interface ItemDescription {
  /** The id of the item's run, when it has a run of its own. */
  readonly id?: string;
  readonly name?: string;
  readonly input: Json;
  readonly output?: Json;
  readonly failure?: RunFailure;
  /** Milliseconds since 1970 UTC. */
  readonly startedAt?: number;
  readonly stoppedAt?: number;
}

export interface RunFailure {
  /** The name of the error; null when there is none. */
  readonly error: string | null;
  readonly cause: string | null;
  /** The state in which it happened. */
  readonly at?: NodePlace;
}

/** A node of a state. `place` has the indexes of the enclosing items when the state runs once for each item. */
export interface NodePlace {
  readonly node: string;
  readonly place: readonly number[];
}

/** A state in which a machine rests. */
export interface RestingState {
  /** The ids of the nodes from the root of the machine to the state, inclusive. */
  readonly nodes: readonly string[];
  /** The `meta` of every node with an id, by id. */
  readonly meta: ReadonlyMap<string, NodeMeta>;
  /** The timers that run in the state: the ids of their calls, and when they are due. */
  readonly timers: readonly { readonly id: string; readonly at: number }[];
}

/** Times are milliseconds since 1970 UTC. */
export interface StateVisit {
  /** When the wait began. */
  readonly since?: number;
  /** Completes the state from outside. */
  readonly token?: string;
  /** The token of work that its agent completes. It is only for heartbeats. */
  readonly heartbeatToken?: string;
  /** When the state fails for taking too long. */
  readonly timeoutAt?: number;
  /** When the state fails unless a heartbeat comes before. */
  readonly heartbeatAt?: number;
  /** The failure after which the state is retried, and the number of earlier retries. */
  readonly retry?: { readonly attempt: number } & Pick<RunFailure, 'error' | 'cause'>;
  /** The events that the state accepts, where a definition lists them. */
  readonly accepts?: readonly string[];
}
