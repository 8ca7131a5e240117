import type { Behaviour, Ports } from '@dramaturg/compiler';
import type { Channel } from '../channel/channel.ts';
import type { Clock } from '../clock/clock.ts';
import type { Definition } from '../definitions/definition.ts';
import type { Limits } from '../limits/index.ts';
import type { StoreLocation } from '../store/contract.ts';

export interface HostOptions {
  /** Where instances are stored. The host is the only owner of the store until it stops (H6). */
  readonly store: StoreLocation;
  readonly definitions: readonly Definition[];
  /** The code behind the names in charts, by the name of their format. */
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  /**
   * The ports that answer the calls of charts. The host itself answers `timer` from the store, and unless a port is given
   * `requestDecision` from `decision.made` events.
   */
  readonly ports?: Partial<Ports>;
  /** Limits on what the calls of each instance consume. Without limits, consumption is only counted. See docs/limits.md */
  readonly limits?: Limits;
  /**
   * Maps an agent to a definition, such as `plan:intake` to `intake`; undefined for other agents. If the host or its store has
   * the definition, the call starts a child instance. All other agents are called through the port `runAgent`.
   */
  readonly definitionOf?: (agent: string) => string | undefined;
  /** The channels to contacts, by name. The default is the first one. Without channels, messages are rejected. */
  readonly channels?: Readonly<Record<string, Channel>>;
  /** The real clock when left out. */
  readonly clock?: Clock;
  /** The name of this process, for people who find the store in use. */
  readonly name?: string;
  /** How many idle instances stay in memory, where events reach them faster. 256 when left out. */
  readonly maxActive?: number;
  /** Milliseconds that a channel has to accept a message. 30,000 when left out. */
  readonly deliveryTimeout?: number;
  /** Receives parts of a reply while it is generated. For display only. */
  readonly onText?: (instance: string, part: string, key: string) => void;
  /**
   * Receives errors of background work, such as a failing channel or a full store. The host retries by itself. The default
   * writes to standard error.
   */
  readonly onError?: (error: unknown, doing: string) => void;
}

/** The options of a start. */
export interface StartOptions {
  /** 1 to 200 characters; a random UUID when left out. */
  readonly id?: string;
  /** The person to talk to. Of all instances with one contact, only one writes to it; the others wait their turn. */
  readonly contact?: string;
  readonly channel?: string;
  /**
   * The first message, if the contact has written first: the conversation answers it instead of writing first. `id` is the
   * channel's own. If the message is refused, nothing is started.
   */
  readonly message?: { readonly text: string; readonly id?: string };
  /** The input of the conversation or workflow, as its format describes it. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Names of definitions that the instance calls as agents. They are stored with it, so that any host can run it. */
  readonly needs?: readonly string[];
  /** Additional input of the lifecycle, such as `heartbeat_config` and `todos`. */
  readonly lifecycleInput?: Readonly<Record<string, unknown>>;
}

/** The names of all host options. Others are refused. */
export const hostOptionNames: readonly (keyof HostOptions)[] = [
  'store',
  'definitions',
  'behaviours',
  'ports',
  'limits',
  'definitionOf',
  'channels',
  'clock',
  'name',
  'maxActive',
  'deliveryTimeout',
  'onText',
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
];

/** A fork that begins after a step of the other instance. */
export interface AtStep {
  /** The last common step, from 1. */
  readonly step: number;
  /** The id of the fork; a random one when left out. */
  readonly id?: string;
}

/** A fork that begins at a save point. Contact and channel default to those of the run. */
export interface AtCheckpoint extends Pick<StartOptions, 'id' | 'contact' | 'channel'> {
  /** The name of the save point. */
  readonly checkpoint: string;
}
