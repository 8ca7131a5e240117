import type { JsonObject, Ports } from '@dramaturg/compiler';
import type { HostedDefinition } from '../host.ts';
import type { MockedStates } from './mocks/mocks.ts';
import type { Draws } from './clocks.ts';

/** The start of tests that do not set one. */
export const usualStart = Date.UTC(2026, 0, 1, 9);

/** The definition that a test runs, and the settings of the run. */
export interface StageOptions {
  /** The name of the definition. */
  readonly name: string;
  readonly definition: HostedDefinition;
  /** Definitions that it calls as agents, by name. */
  readonly others?: Readonly<Record<string, HostedDefinition>>;
  /** Answers of agents, by name. */
  readonly agents?: JsonObject;
  /** The states that a mock file answers. */
  readonly mocked?: MockedStates;
  /** Ports for calls that the test does not answer, in place of the understudy. */
  readonly ports?: Partial<Ports>;
  readonly input?: JsonObject;
  readonly lifecycleInput?: JsonObject;
  /** Milliseconds since 1970 UTC. */
  readonly startAt: number;
  /** The random values; without them random numbers are 0.5, and ids differ in each run. */
  readonly draws?: Draws;
}
