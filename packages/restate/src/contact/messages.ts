import type { EventObject, JsonObject } from '@dramaturg/compiler';
import type { Birth } from '@dramaturg/host/engine';
import type { DefinitionVersion } from '@dramaturg/host/store';
import type { Outcome } from '../restate/outcome.ts';

/** The parameters of a contact's handlers. Times are milliseconds since 1970 UTC. */

/** For `start`: an instance that enters the line of the contact. */
export interface LineStart {
  readonly at: number;
  readonly definition: DefinitionVersion;
  readonly birth: Omit<Birth, 'queued'>;
}

/** For `route`: messages of the contact, in the order of arrival. */
export interface RouteOrder {
  readonly at: number;
  readonly events: readonly (JsonObject & EventObject)[];
  /** The conversations that the messages start when no instance holds the contact, by their indexes. */
  readonly starts?: readonly (Outcome<LineStart> | null)[];
}

/** The position of an instance in the line of its contact, as its object has stored it. For `moved`. */
export interface LinePosition {
  readonly id: string;
  readonly createdAt: number;
  readonly revision: number;
  readonly updatedAt: number;
  /** The state of the instance, for people. */
  readonly status: string;
  readonly ended: boolean;
  /** Whether it holds the contact: then no other instance may write to the contact. */
  readonly holds: boolean;
  /** Whether it waits for the contact to become free. */
  readonly waits: boolean;
}
