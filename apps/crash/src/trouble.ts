import type { Chance } from '@dramaturg/host/testing';
import type { Mission } from './protocol.ts';
import type { Victim } from './victim.ts';

/** What a lane does to its hosts, one after another. */
export const troubleKinds = ['kills', 'faults', 'fills'] as const;
export type TroubleKind = (typeof troubleKinds)[number];

/** What trouble needs of its lane. */
export interface Scene {
  /** The folder of the store. */
  readonly folder: string;
  readonly chance: Chance;
  /** Starts a host on the store. It gets the requests of the crowd until it has ended. */
  readonly start: (mission?: Pick<Mission, 'killAt'>, environment?: NodeJS.ProcessEnv) => Victim;
  /** Notes how a host has ended. @throws Error if it has ended in an unexpected way */
  readonly end: (victim: Victim) => Promise<void>;
  readonly onProgress: (times: number) => void;
}

/** Makes trouble so many times. @returns how often each kind of it came */
export type Trouble = (scene: Scene, times: number) => Promise<Readonly<Record<string, number>>>;
