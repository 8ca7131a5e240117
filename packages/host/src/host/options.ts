import type { AttachmentOptions } from '../attachments/attachment-files.ts';
import type { Behaviours } from '../definitions/behaviours.ts';
import type { JsonObject, PortName, Ports } from '@dramaturg/compiler';
import type { PortWishes } from '@dramaturg/compiler/machine';
import type { Channel } from '../channel/channel.ts';
import type { Clock } from '../clock/clock.ts';
import type { Definition } from '../definitions/definition.ts';
import type { InboxLimits, Limits } from '../limits/index.ts';
import type { RetentionPolicy } from '../erasure/retention-policy.ts';
import type { MemoryOwner } from '../memory/memory-owner.ts';
import type { StoreLocation } from '../store/contract.ts';

export interface HostOptions {
  /** The store of the instances. The host is its only owner until it stops (H6). */
  readonly store: StoreLocation;
  readonly definitions: readonly Definition[];
  /** The code behind the names in charts, by the name of their format. */
  readonly behaviours: Behaviours;
  /**
   * The ports that answer the calls of charts. The host itself answers `timer` from the store, and unless a port is given
   * `requestDecision` from `decision.made` events. With a port `remember`, `forget` and `memoriesOf` let the host erase and
   * export memories; `memoryPorts` has them.
   */
  readonly ports?: Partial<Ports> & Partial<MemoryOwner> & PortWishes;
  /** Limits on the consumption of each instance's calls. Without limits, consumption is only counted. See docs/limits.md */
  readonly limits?: Limits;
  /**
   * How much may wait for one instance or one contact: messages that no turn has taken, and events in memory. Anything beyond is
   * refused with `message/inbox-full` or `host/busy`, and with the time after which to retry.
   */
  readonly inbox?: Partial<InboxLimits>;
  /**
   * Maps an agent to a definition, such as `plan:intake` to `intake`; undefined for other agents. If the host or its store has
   * the definition, the call starts a child instance. All other agents are called through the port `runAgent`.
   */
  readonly definitionOf?: (agent: string) => string | undefined;
  /** Keeps the files that people send, for models, the desk, exports and erasures. Without it, they stay where they are. */
  readonly attachments?: AttachmentOptions;
  /** When ended instances are erased. Without it, they are kept. */
  readonly retention?: RetentionPolicy;
  /** The channels to contacts, by name. The default is the first one. Without channels, messages are rejected. */
  readonly channels?: Readonly<Record<string, Channel>>;
  /** The real clock when left out. */
  readonly clock?: Clock;
  /** The name of this process, for people who find the store in use. */
  readonly name?: string;
  /** How many idle instances stay in memory, which makes their next event faster. 256 when left out. */
  readonly maxActive?: number;
  /** How many items of Maps run at the same time in all instances. A Map that would run more fails. 100,000 when left out: about 1 GB. */
  readonly maxItems?: number;
  /**
   * How many calls of a port run at the same time, for all ports or by port; the others wait. 256 for each port when left
   * out. Calls of `requestDecision` are not limited.
   */
  readonly callConcurrency?: number | Partial<Record<PortName, number>>;
  /**
   * Milliseconds after which a call fails with `port/timed-out`, for all ports or by port; `Infinity` never. When left out,
   * an hour for `runAgent` and `callTool`, and ten minutes for the other ports. `requestDecision` has no time limit.
   */
  readonly callTimeout?: number | Partial<Record<PortName, number>>;
  /** How many messages a channel gets at the same time, for all channels or by channel. 64 for each when left out. */
  readonly deliveryConcurrency?: number | Readonly<Record<string, number>>;
  /** Milliseconds that a channel has to accept a message. 30,000 when left out. */
  readonly deliveryTimeout?: number;
  /**
   * Receives errors of background work, such as a failing channel or a full store. The host retries by itself. Of each kind, the
   * first error is reported immediately, and then at most one every ten seconds: `count` is the number of errors in a report. The
   * default writes to standard error.
   */
  readonly onError?: (error: unknown, doing: string, count: number) => void;
}

/** The options of a start. */
export interface StartOptions {
  /** 1 to 200 characters; a random UUID when left out. */
  readonly id?: string;
  /**
   * Makes the id an idempotency key: when the same start is repeated, it answers with the instance that it has started, instead of
   * `host/exists`.
   */
  readonly once?: boolean;
  /** The person to talk to. Of all instances with one contact, only one writes to it; the others wait for their turn. */
  readonly contact?: string;
  /** Sends the messages, and says how the contact is written. Without it, the first channel sends them. */
  readonly channel?: string;
  /**
   * The first message, if the contact has written first: the conversation answers it instead of writing first. `id` and `data`
   * come from the channel. If the message is refused, nothing is started.
   */
  readonly message?: { readonly text: string; readonly id?: string; readonly data?: JsonObject };
  /** The input of the conversation or workflow, as its format describes it. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Names of definitions that the instance calls as agents. They are stored with it, so that any host can run it. */
  readonly needs?: readonly string[];
  /** Additional input of the lifecycle, such as `heartbeat_config` and `todos`. */
  readonly lifecycleInput?: Readonly<Record<string, unknown>>;
  /** The trace of the request that starts it. The trace of the instance links to it. Spec: W3C Trace Context, section 3.2 */
  readonly traceparent?: string;
}

/** A start with its contact in canonical form. */
export type AddressedStart = StartOptions & {
  /** The contact as it was written. */
  readonly address?: string | null;
};

/** The names of all host options. Others are refused. */
export const hostOptionNames: readonly (keyof HostOptions)[] = [
  'store',
  'definitions',
  'behaviours',
  'ports',
  'limits',
  'inbox',
  'definitionOf',
  'attachments',
  'retention',
  'channels',
  'clock',
  'name',
  'maxActive',
  'maxItems',
  'callConcurrency',
  'callTimeout',
  'deliveryConcurrency',
  'deliveryTimeout',
  'onError',
];

/** The names of all start options. Others are refused. */
export const startOptionNames: readonly (keyof StartOptions)[] = [
  'id',
  'contact',
  'channel',
  'message',
  'input',
  'needs',
  'lifecycleInput',
  'once',
  'traceparent',
];

/** A fork that begins after a step of the other instance. */
export interface AtStep {
  /** The last common step, from 1. */
  readonly step: number;
  /** The id of the fork; a random one when left out. */
  readonly id?: string;
  /** Stops a fork that is no longer wanted. Nothing of it stays in the store. */
  readonly signal?: AbortSignal;
  /** Called from time to time with the number of repeated steps. */
  readonly onProgress?: (steps: number) => void;
}

/** A fork that begins at a save point. Contact and channel default to those of the run; a contact is in the form of the channel. */
export interface AtCheckpoint extends Pick<StartOptions, 'id' | 'contact' | 'channel'> {
  /** The name of the save point. */
  readonly checkpoint: string;
}
