import type { Chance } from '@dramaturg/testing';
import type { PostgresServer, TcpProxy } from '@dramaturg/test-servers';
import type { Mission } from './protocol.ts';
import type { RestatePlace } from './restate-place.ts';
import type { Victim } from './victim.ts';

/** The kinds of trouble that a lane makes for its hosts. */
export const troubleKinds = ['kills', 'faults', 'fills', 'outages'] as const;
export type TroubleKind = (typeof troubleKinds)[number];

/** The lane's functions that a trouble uses. */
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
  /** Records how a host has ended. @throws Error if it has ended in an unexpected way */
  readonly end: (victim: Victim) => Promise<void>;
  readonly onProgress: (times: number) => void;
}

/** The troubles that have happened. */
export interface Troubled {
  /** The number of troubles of each kind. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Milliseconds from each trouble until another host had taken over the store. */
  readonly takeovers?: readonly number[];
}

/** Makes trouble this many times. */
export type Trouble = (scene: Scene, times: number) => Promise<Troubled>;
