import type { EventObject, Json, JsonObject } from '@dramaturg/compiler';
import type { MessageRole } from './letter.ts';

/** Who has said something: the lifecycle of an instance, its conversation or workflow, or the host itself. */
export type Source = 'lifecycle' | 'flow' | 'host';

/** Something that has happened in an instance, and is stored. Spec: docs/events.md */
export interface HostEvent {
  readonly instance: string;
  /** The instance that has called it as an agent, the one that has called that, and so on; absent when nobody has. */
  readonly within?: readonly string[];
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly source: Source;
  readonly event: EventObject;
}

/** Events of the host itself: what has become of a message for a channel, and where a fork comes from. */
export type DeliveryEvent =
  | { readonly type: 'message.delivered'; readonly id: string; readonly role: MessageRole }
  | {
      readonly type: 'message.rejected';
      readonly id: string;
      readonly role: MessageRole;
      readonly because: string;
    }
  /** The instance began as what another one was after a step. */
  | { readonly type: 'instance.forked'; readonly from: string; readonly step: number };

/** Told to an instance when no other holds its contact any more, and it is the first in the line. */
export const priorInstanceTerminal = 'prior_instance_terminal';

/** A person's answer to a question of the port `requestDecision`. */
export const decisionMade = 'decision.made';

/** A line of the journal: the event, but for texts, which are in the transcript under the same id. */
export function journalLine({ at, source, event }: HostEvent): Json {
  const { text, ...rest } = event;
  const isMessage = typeof text === 'string' && event.type.startsWith('message.');
  return { at, source, event: (isMessage ? rest : event) as JsonObject };
}

/** Who speaks in a line of the transcript; `manual` is a person on the agent's side, `system` the host. */
export type Role = 'agent' | 'contact' | 'manual' | 'system';

/** A line of the transcript. Its number is its place: times come from several clocks, and order does not. */
export type TranscriptLine = {
  readonly id: string;
  readonly role: Role;
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
};

/** What comes of an event for an instance. */
export type Answer = { readonly accepted: true; readonly state: string } | Refused;

/** An event that changed nothing. */
export type Refused = {
  readonly accepted: false;
  readonly state: string;
  /** Why, for programs. Spec: docs/host.md#refusals */
  readonly code: string;
  /** The same in a sentence for people. */
  readonly because: string;
  /** The events that are accepted in this state. */
  readonly accepts: readonly string[];
};
