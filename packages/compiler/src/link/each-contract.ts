import type { EventObject } from 'xstate';
import type { Json, JsonObject } from '../json.ts';

/** The input of an `each` call, which runs its chart once for each item. */
export interface EachInput {
  /** The items. The list is never copied, and is stored as the same object in every step. */
  readonly items: readonly Json[];
  /** Passed to the machine of every item, as the same object. */
  readonly shared?: JsonObject;
  /** How many may run at the same time; 0 for no limit. */
  readonly concurrency: number;
  /** How many may fail before the others are stopped; null for no limit. */
  readonly tolerated: number | null;
  /** Adds up numbers of the outputs, and stops the other items when a sum passes its limit. */
  readonly tally?: Tally;
  readonly reports?: Reports;
}

/** The input of an item's machine. */
export interface ItemStart {
  /** The position of the item in the list, from 0. */
  readonly index: number;
  readonly item: Json;
  readonly shared?: JsonObject;
  /** The sums of the items that have ended, when they are added up. */
  readonly tally?: Readonly<Record<string, number>>;
}

/** The events that the actor emits as items end. */
export interface Reports {
  /** Emitted with `percentage`, `total`, `completed`, `inProgress`, `pending` and `failed`, each time an item has ended. */
  readonly event: EventObject & JsonObject;
  /** Events that are emitted once a percentage of the items has ended, from above 0 to 100. */
  readonly milestones: readonly { readonly at: number; readonly event: EventObject & JsonObject }[];
}

export interface Tally {
  /** A field of the outputs: an object, whose numbers are added up. An item that starts has the sums as its `tally`. */
  readonly field: string;
  /** The sums that must not be passed, by the name of the number. */
  readonly limits: Readonly<Record<string, number>>;
}

export interface EachOutput {
  /**
   * The output of each item's machine, in the order of the items; null where it did not reach its end. An item whose
   * actor broke has `{ status: 'failed', error: 'States.Runtime', cause }`, where the cause is the error's message.
   */
  readonly results: readonly (Json | null)[];
  /**
   * The indexes of the items that failed, in order of time. An item has failed when its actor broke, or when its output
   * is an object that has a `status` other than `succeeded`.
   */
  readonly failures: readonly number[];
  /** More items failed than were tolerated: those that ran were stopped, and the others were not started. */
  readonly stopped: boolean;
  /** A limit of the tally was passed, which also stops the work. */
  readonly exceeded?: true;
}

export type EachEvent =
  /** Forwards an event to the machine of an item. Ignored when the item does not run. */
  | { readonly type: 'each.forward'; readonly index: number; readonly event: EventObject }
  /** From the actor to itself: more items can start. */
  | { readonly type: 'each.more' }
  | EventFromItem
  | { readonly type: 'xstate.stop' };

export type EventFromItem =
  | {
      readonly type: `xstate.done.actor.${string}`;
      readonly actorId: string;
      readonly output: Json | undefined;
    }
  | {
      readonly type: `xstate.error.actor.${string}`;
      readonly actorId: string;
      readonly error: unknown;
    };
