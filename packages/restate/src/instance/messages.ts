import type { EventObject, Json, JsonObject, PortName } from '@dramaturg/compiler';
import type { Answer, DeliveryReport } from '@dramaturg/host';
import type {
  Birth,
  CallUsage,
  MessageLetter,
  RecordedError,
  SpokenPlace,
  UsageTotal,
} from '@dramaturg/host/engine';
import type { DefinitionVersion } from '@dramaturg/host/store';
import type { LinePosition } from '../contact/messages.ts';

/** What the handlers of an instance take and answer. Times are milliseconds since 1970 UTC. */

/** How an instance stands after a step. */
export interface Standing {
  readonly status: string;
  readonly ended: boolean;
  readonly holds: boolean;
}

export interface Answered extends Standing {
  readonly answer: Answer;
}

/** The answers to events that a contact has sent together. */
export interface AnsweredAll {
  readonly answers: readonly Answer[];
  readonly position: LinePosition;
}

/** For `create`. */
export interface CreateOrder {
  readonly at: number;
  readonly createdAt: number;
  readonly definition: DefinitionVersion;
  readonly birth: Birth;
}

/** For `take`. */
export interface EventOrder {
  readonly at: number;
  readonly event: JsonObject & EventObject;
  /** The event comes from outside: events of the host itself are refused. */
  readonly isOutside?: boolean;
}

/** For `report`: what a provider reports about a message. */
export interface ReportOrder {
  readonly at: number;
  readonly report: Omit<DeliveryReport, 'instance'>;
}

/** For `answer`: the outcome of a call. */
export interface CallOutcome {
  readonly at: number;
  readonly letter: string;
  readonly port: PortName;
  readonly ending: { readonly output: Json } | { readonly error: RecordedError };
  readonly use?: CallUsage;
}

/** For `call`: a call to a port, which the instance has stored. */
export interface CallOrder {
  /** When it was decided. */
  readonly at: number;
  readonly letter: string;
  readonly port: PortName;
  readonly key: string;
  readonly input: Json;
  readonly used: UsageTotal;
  readonly contact?: string;
  readonly isReminder: boolean;
  /** Number of lines when the call was decided. */
  readonly transcriptLength: number;
  readonly timeZone?: string | undefined;
  /** The lines that it is about. */
  readonly heard?: SpokenPlace['heard'];
}

/** For `deliver`: the first message of a route. */
export interface DeliveryOrder {
  /** When the instance was last decided before it. */
  readonly at: number;
  readonly letter: string;
  readonly body: MessageLetter;
  readonly address: string | null;
  readonly channel: string | null;
  readonly contact?: string;
}

/** For `receipt`. */
export interface ReceiptOrder {
  readonly at: number;
  readonly letter: string;
  readonly route: string;
  /** Why the channel refuses the message; absent when it has accepted it. */
  readonly because?: string;
  /** The process does not have the channel. */
  readonly isKept?: true;
}

/** For `noteRead`. */
export interface ReadOrder {
  readonly reader: string;
  /** How many lines of the journal. */
  readonly lines: number;
}

/** For `withdraw`: work that the instance does not wait for any more. */
export interface WithdrawOrder {
  readonly work: readonly { readonly handler: 'call' | 'deliver'; readonly key: string }[];
}

/** What has become of a message by hand. */
export type Fate = { readonly state: string } & (
  | { readonly type: 'waits' | 'delivered' }
  | { readonly type: 'rejected'; readonly because: string }
);

/** For `giveUp`: a message that waits behind others. */
export interface GiveUpOrder {
  readonly at: number;
  readonly letter: string;
  readonly because: string;
}
