import type { EventObject, Json, JsonObject } from '@dramaturg/compiler';
import type { lifecycle } from '@dramaturg/compiler/format';
import type { DeliveryStatus, ReportedDelivery } from './delivery-reports.ts';
import type { Owner } from './claim.ts';
import type { WordMeaning } from './spoken-words.ts';

/** The emitter of an event: the lifecycle of an instance, its conversation or workflow, or the host. */
export type Source = 'lifecycle' | 'flow' | 'host';

/** A stored event of an instance. Spec: docs/events.md */
export interface HostEvent {
  readonly instance: string;
  /** The parent of the instance, its parent, and so on; absent when it has none. */
  readonly within?: readonly string[];
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly source: Source;
  readonly event: EventObject;
  /**
   * The position after the event in the stream that it came from, for `events({ after })` of one instance, or of all instances
   * and contacts. In a stream with `descendants`, and in one of several instances on Restate, it is a position in the events of
   * the event's own instance. Refusals, which are not stored, do not have it.
   */
  readonly cursor?: string;
}

/** The role of a message. A `notice` informs somebody other than the contact about an open decision. */
export type MessageRole = 'agent' | 'manual' | 'notice';

/** An attempt of a channel to deliver a message. */
export interface FailedAttempt {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly because: string;
}

/** Events of the host: the delivery of messages, acts of operators, calls, turns, and the origin of a fork. */
export type DeliveryEvent =
  | {
      readonly type: 'message.delivered';
      readonly id: string;
      readonly role: MessageRole;
      /** The attempts of the process that has delivered it, if some failed. */
      readonly attempts?: number;
      readonly failed?: readonly FailedAttempt[];
    }
  | {
      readonly type: 'message.rejected';
      readonly id: string;
      readonly role: MessageRole;
      readonly because: string;
    }
  /** A provider has reported about a message that its channel had accepted. */
  | {
      readonly type: 'delivery.reported';
      readonly id: string;
      readonly status: DeliveryStatus;
      readonly reason?: string;
    }
  /** A call of a turn has failed, and is retried at `retry_at`, milliseconds since 1970 UTC. */
  | {
      readonly type: 'turn.attempt.failed';
      readonly port: string;
      readonly key: string;
      readonly attempt: number;
      readonly attempts: number;
      readonly because: string;
      readonly retry_at: number;
    }
  /** A person has taken the conversation over, or has renewed the claim, until a time. */
  | {
      readonly type: 'claim.taken' | 'claim.renewed';
      readonly by: string;
      readonly until: number;
    }
  | { readonly type: 'claim.released'; readonly by: string }
  | { readonly type: 'note.added'; readonly by: string; readonly text: string }
  /** A person has asked for a draft of the agent's answer. It was not sent. */
  | { readonly type: 'draft.made'; readonly by: string }
  /** A call was decided: it is made once the step is stored. Timers are no calls. */
  | {
      readonly type: 'call.started';
      readonly port: string;
      readonly key: string;
      /** The agent or the tool. */
      readonly name?: string;
      /** The id of the decision that a person is asked for. */
      readonly decision?: string;
      /** The id of the call in the chart; absent for a reminder, which the host requests itself. */
      readonly invocation?: string;
    }
  /** A call has an answer, has failed, or was abandoned. */
  | {
      readonly type: 'call.ended';
      readonly port: string;
      readonly key: string;
      readonly outcome: 'answered' | 'failed' | 'abandoned';
      /** The option that a person has chosen. */
      readonly decision?: string;
      /** The code of the error of a failed call. */
      readonly error?: string;
      readonly because?: string;
    }
  /** A turn has ended. An aborted turn has the event `turn.aborted` of the lifecycle. */
  | {
      readonly type: 'turn.ended';
      readonly turn: string;
      readonly outcome: 'completed' | 'failed';
      readonly because?: string;
    }
  /** The flow continues with another version of its definition, by a migration or its undoing. */
  | {
      readonly type: 'definition.migrated' | 'migration.undone';
      readonly definition: string;
      readonly from: string;
      readonly to: string;
      /** The losses of the instance, in sentences. */
      readonly losses?: readonly string[];
    }
  /** A start or a message was sent within a trace. Spec: W3C Trace Context, section 3.2 */
  | {
      readonly type: 'trace.linked';
      readonly of: 'start' | 'message';
      readonly traceparent: string;
    }
  /** The instance began as a copy of another one, as it was after a step. */
  | { readonly type: 'instance.forked'; readonly from: string; readonly step: number };

/** An event for a lifecycle. Its fields may come from a model: the lifecycle checks them. */
export type LifecycleEventObject = EventObject & {
  readonly type: lifecycle.LifecycleEvent['type'];
};

/** The event for the first instance in the queue of a contact, when no other holds the contact any more. */
export const priorInstanceTerminal =
  'prior_instance_terminal' satisfies lifecycle.LifecycleEvent['type'];

/** A person's answer to a question of the port `requestDecision`. */
export const decisionMade = 'decision.made';

/**
 * The journal line of an event. It leaves out the text of a message that the transcript has under the same id.
 *
 * @param transcript the lines of the same step
 */
export function journalLine(
  { at, source, event }: HostEvent,
  transcript: readonly Pick<TranscriptLine, 'id' | 'text'>[] = [],
): Json {
  const isInTranscript =
    hasMessage(event) &&
    transcript.some(({ id, text }) => id === event['id'] && text === event['text']);
  return { at, source, event: (isInTranscript ? withoutText(event) : event) as JsonObject };
}

function withoutText({ text: _text, ...rest }: EventObject): EventObject {
  return rest;
}

/** Whether an event contains the text of a message. */
export function hasMessage({ type, text }: EventObject): boolean {
  return typeof text === 'string' && type.startsWith('message.');
}

/** The author of a line of the transcript: `manual` is a person on the agent's side, `system` the host. */
export type Role = 'agent' | 'contact' | 'manual' | 'system';

/** A line of the transcript. Lines are ordered by their index: times come from several clocks. */
export type TranscriptLine = {
  readonly id: string;
  readonly role: Role;
  readonly text: string;
  /** The person who has written a `manual` line, if they have said so. */
  readonly by?: string;
  /** In a `manual` line: its author has read the lines before this index. */
  readonly upTo?: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Data that the channel of the contact has added to the text, such as links of attachments. It is never an instruction. */
  readonly data?: JsonObject;
  /** The effect of the message, if it is a word that the flow never receives. */
  readonly word?: WordMeaning;
  /** When the contact has sent it, according to the provider, in milliseconds since 1970 UTC. */
  readonly sentAt?: number;
  /** The id of the message that the contact quotes or whose button it is, or its text. */
  readonly replyTo?: string;
  /**
   * The message belongs to the `previous` question or to an `other` one. `false`: it belongs to the open question, whose receipt
   * was not stored yet.
   */
  readonly early?: 'previous' | 'other' | false;
  /** The last report about the delivery of the message. Stored lines do not have it: readers add it. */
  readonly delivery?: ReportedDelivery;
};

/** The answer to an event for an instance. */
export type Answer = Accepted | Refused;

export type Accepted = {
  readonly accepted: true;
  readonly state: string;
  /** After an act of an operator: the person who has the conversation now, if any. */
  readonly owner?: Owner;
  /** For a message that is a word of the policy `words`, or of carriers: its effect. */
  readonly heard?: WordMeaning;
};

/** An event that changed nothing. */
export type Refused = {
  readonly accepted: false;
  readonly state: string;
  /** The reason, for programs. Spec: docs/host.md#refusals */
  readonly code: string;
  /** The reason in a sentence for people. */
  readonly because: string;
  /** The events that are accepted in this state. */
  readonly accepts: readonly string[];
  /** For an event that may be accepted later: when to send it again, in milliseconds from now. */
  readonly retryAfterMs?: number;
};
