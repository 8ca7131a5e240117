import type { Chance } from '@dramaturg/testing';
import type { PostgresServer, TcpProxy } from '@dramaturg/test-servers';
import type { Mission } from './protocol.ts';
import type { RestatePlace } from './restate-place.ts';
import type { Victim } from './victim.ts';

/** What a lane does to its hosts, one after another. */
export const troubleKinds = ['kills', 'faults', 'fills', 'outages'] as const;
export type TroubleKind = (typeof troubleKinds)[number];

/** What trouble needs of its lane. */
export interface Scene {
  /** The folder of the store. */
  readonly folder: string;
  readonly chance: Chance;
  /** Starts a host on the store. It gets the requests of the crowd until it has ended. */
  readonly start: (
    mission?: Pick<Mission, 'killAt' | 'database' | 'restate'>,
    environment?: NodeJS.ProcessEnv,
  ) => Victim;
  /** Sends all further requests to a host. */
  readonly connect: (victim: Victim) => void;
  /** The server of a store in Postgres. */
  readonly server: PostgresServer | undefined;
  /** The URL of the store on it. */
  readonly database: string | undefined;
  /** Restate, when the hosts are on it. */
  readonly restate: RestatePlace | undefined;
  /** Starts a proxy, which is stopped with the lane. */
  readonly proxyTo: (port: number) => Promise<TcpProxy>;
  /** Notes how a host has ended. @throws Error if it has ended in an unexpected way */
  readonly end: (victim: Victim) => Promise<void>;
  readonly onProgress: (times: number) => void;
}

/** What trouble has come. */
export interface Troubled {
  /** How often each kind of it came. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Milliseconds from each trouble until another host had taken the store over. */
  readonly takeovers?: readonly number[];
}

/** Makes trouble so many times. */
export type Trouble = (scene: Scene, times: number) => Promise<Troubled>;
