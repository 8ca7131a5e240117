import type { Behaviour, Ports } from '@dramaturg/compiler';
import type { Channel } from '../channel/channel.ts';
import type { Clock } from '../clock/clock.ts';
import type { Definition } from '../definitions/definition.ts';
import type { Limits } from '../limits/index.ts';
import type { StorePlace } from '../store/contract.ts';

export interface HostOptions {
  /** Where instances are kept. The host is its only owner until it stops (H6). */
  readonly store: StorePlace;
  readonly definitions: readonly Definition[];
  /** The code behind the names in charts, by the name of their format. */
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  /**
   * Who answers what charts ask. The host itself answers `timer` from the store, and `requestDecision` from events
   * `decision.made` unless a port is given.
   */
  readonly ports?: Partial<Ports>;
  /** What the calls of each instance may use up. Without any, all is only counted. See docs/limits.md */
  readonly limits?: Limits;
  /**
   * The name of the definition that is called as an agent by this name, such as `intake` for `plan:intake`; undefined for any
   * other agent. One that the host or its store has runs as an instance of its own, below the one that has called it; all
   * others are asked of the port `runAgent`.
   */
  readonly definitionOf?: (agent: string) => string | undefined;
  /** The ways to contacts, by name; an instance that names none has the first. Without any, messages are rejected. */
  readonly channels?: Readonly<Record<string, Channel>>;
  /** The time of day when left out. */
  readonly clock?: Clock;
  /** Who this is, in words for people who find the store in use. */
  readonly name?: string;
  /** How many idle instances stay awake: they cost memory, and an event then finds them at once. 256 when left out. */
  readonly maxActive?: number;
  /** Milliseconds a channel has for an answer. 30,000 when left out. */
  readonly deliveryTimeout?: number;
  /** A part of a reply that is being made, for showing only. */
  readonly onText?: (instance: string, part: string, key: string) => void;
  /**
   * What went wrong and concerns nobody who waits for an answer: a channel that fails, a store that is full. The host tries
   * again by itself. Written to the standard error output when left out.
   */
  readonly onError?: (error: unknown, doing: string) => void;
}

/** What an instance is started with. */
export interface StartOptions {
  /** 1 to 200 characters; a random UUID when left out. */
  readonly id?: string;
  /** Whom it is with; of the instances with one contact only one speaks, the others wait their turn. */
  readonly contact?: string;
  readonly channel?: string;
  /**
   * The contact has written first, and the conversation answers this message: one that would speak first does not. `id` is
   * the channel's own. A message that cannot be taken refuses the whole start.
   */
  readonly message?: { readonly text: string; readonly id?: string };
  /** The input of the conversation or workflow, as its format describes it. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Names of definitions that it runs as agents: they are stored with it, so that it goes on wherever the store is opened. */
  readonly needs?: readonly string[];
  /** More of the lifecycle's input, such as `heartbeat_config` and `todos`. */
  readonly lifecycleInput?: Readonly<Record<string, unknown>>;
}

/** The names of all host options: others are refused. */
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

/** The names of all start options: others are refused. */
export const startOptionNames: readonly (keyof StartOptions)[] = [
  'id',
  'contact',
  'channel',
  'message',
  'input',
  'needs',
  'lifecycleInput',
];

/** Where a fork begins: after a step of the other instance. */
export interface AtStep {
  /** The last step that both have in common, from 1. */
  readonly step: number;
  /** The id of the fork; a random one when left out. */
  readonly id?: string;
}

/** Where a fork begins: at a save point of a run. The contact and the channel are those of the run when left out. */
export interface AtCheckpoint extends Pick<StartOptions, 'id' | 'contact' | 'channel'> {
  /** Its name. */
  readonly checkpoint: string;
}
