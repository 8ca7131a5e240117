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
import {
  type Context,
  type GenericSend,
  type InvocationHandle,
  serde,
  type Serde,
} from '@restatedev/restate-sdk';
import type { Outcome, Target } from '../restate/ingress.ts';

/** The parameters and answers of an instance's handlers. Times are milliseconds since 1970 UTC. */

/** The status of an instance after a step. */
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

/** For `create`: a new instance. */
export interface CreateOrder {
  readonly at: number;
  readonly createdAt: number;
  readonly definition: DefinitionVersion;
  readonly birth: Birth;
}

/** For `take`: an event for the instance. */
export interface EventOrder {
  readonly at: number;
  readonly event: JsonObject & EventObject;
  /** Whether the event comes from outside: then the host's own events are refused. */
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
  /** When the call was decided. */
  readonly at: number;
  readonly letter: string;
  readonly port: PortName;
  readonly key: string;
  readonly input: Json;
  readonly used: UsageTotal;
  readonly contact?: string;
  readonly isReminder: boolean;
  /** Number of transcript lines when the call was decided. */
  readonly transcriptLength: number;
  readonly timeZone?: string | undefined;
  /** The lines that the call is about. */
  readonly heard?: SpokenPlace['heard'];
}

/** For `deliver`: the first message of a route. */
export interface DeliveryOrder {
  /** The time of the instance's last step before it. */
  readonly at: number;
  readonly letter: string;
  readonly body: MessageLetter;
  readonly address: string | null;
  readonly channel: string | null;
  readonly contact?: string;
}

/** For `receipt`: the outcome of a delivery. */
export interface ReceiptOrder {
  readonly at: number;
  readonly letter: string;
  readonly route: string;
  /** The reason why the channel refuses the message; absent when it has accepted it. */
  readonly because?: string;
  /** Set when the process does not have the channel. */
  readonly isKept?: true;
}

/** For `noteRead`: a reader's progress. */
export interface ReadOrder {
  readonly reader: string;
  /** The number of journal lines that were read. */
  readonly lines: number;
}

/** For `withdraw`: work that the instance no longer waits for. */
export interface WithdrawOrder {
  readonly work: readonly { readonly handler: 'call' | 'deliver'; readonly key: string }[];
}

/** The fate of a message that was written by hand. */
export type Fate = { readonly state: string } & (
  | { readonly type: 'waits' | 'delivered' }
  | { readonly type: 'rejected'; readonly because: string }
);

/** For `giveUp`: a message that waits for earlier ones. */
export interface GiveUpOrder {
  readonly at: number;
  readonly letter: string;
  readonly because: string;
}

/** Submits a call to Restate, as part of the step. */
export function send(
  context: Context,
  { service, key, handler: method }: Target,
  parameter: unknown,
  { delay, idempotencyKey }: Pick<GenericSend<unknown>, 'delay' | 'idempotencyKey'> = {},
): InvocationHandle {
  return context.genericSend({
    service,
    method,
    key,
    parameter,
    inputSerde: serde.json as Serde<unknown>,
    ...(delay === undefined ? {} : { delay }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
}

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
