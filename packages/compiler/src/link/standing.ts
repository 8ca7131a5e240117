/* oxlint-disable typescript/no-explicit-any -- Each format has a context of its own. */
import type { NodeMeta } from '../chart/chart.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ItemView } from './each-items.ts';

/**
 * What only the format can read in a stored run. The states in which a run rests and its open calls are in the snapshot and
 * the chart, and the host finds them there.
 */
export interface Standing<Context = any> {
  /** The failure of a machine that has ended. `machine` is the id of its chart. */
  readonly failure?: (context: Context, machine: string) => RunFailure | undefined;
  /** About a state in which the machine rests. */
  readonly visit?: (context: Context, resting: RestingState) => StateVisit;
  /**
   * The data that a run was started with, without those that its definition redacts. The input of the actor when absent.
   *
   * @param root the meta of the chart
   */
  readonly input?: (input: JsonObject, root: NodeMeta) => Json;
  /** The data that came of a run, as for `input`; undefined when it has failed. The output of the actor when absent. */
  readonly output?: (output: Json, root: NodeMeta) => Json | undefined;
  /** What a conversation has collected so far, by name, for people. */
  readonly collected?: (context: Context) => JsonObject;
  /** The items of states that have failed: no supervisor has them any more. */
  readonly failedItems?: (context: Context) => readonly FailedItems[];
  /**
   * An item of a list, for people.
   *
   * @param shared the input that its machine shares with those of the other items
   * @param root the meta of the chart
   */
  readonly item?: (item: ItemView, shared: JsonObject, root: NodeMeta) => ToldItem;
}

/** The items of a state that has failed. Those that were stopped have the status `waiting`. */
export interface FailedItems {
  readonly at: NodePlace;
  readonly shared: JsonObject;
  readonly items: readonly ItemView[];
}

export interface ToldItem {
  /** The run of the item, when it is one of its own. */
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

/** A node of a state; `place` has the indexes of the items around it when the state runs once for each item. */
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
  /** The token of work that its agent completes: it only sends heartbeats. */
  readonly heartbeatToken?: string;
  /** When the state fails for taking too long. */
  readonly timeoutAt?: number;
  /** When the state fails unless a heartbeat comes before. */
  readonly heartbeatAt?: number;
  /** The failure after which the state is tried again, and how often it was tried again before. */
  readonly retry?: { readonly attempt: number } & Pick<RunFailure, 'error' | 'cause'>;
  /** The events that the state accepts, where a definition lists them. */
  readonly accepts?: readonly string[];
}
