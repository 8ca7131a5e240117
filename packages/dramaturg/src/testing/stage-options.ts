import type { Compiled, JsonObject, Ports } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';
import { manualClock, type ManualClock } from '@dramaturg/host/browser';
import type { HostedDefinition } from '../host.ts';
import { kindOf } from '../known-formats.ts';
import type { MockedStates } from './test-file.ts';

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

/** The random values of a run. */
type Draws = Pick<World, 'random' | 'uuid'>;

/** A clock of tests, with its random values. */
interface TestClock {
  readonly clock: ManualClock;
  draws: Draws;
}

/**
 * Machines are linked for a clock, which costs more than most tests. So a test reuses the clock of an ended test, after its host
 * has stopped all timers. Tests that run at the same time have clocks of their own.
 */
export class FreeClocks {
  readonly #free: TestClock[] = [];
  readonly #taken = new Map<ManualClock, TestClock>();

  /**
   * @param startAt the time, in milliseconds since 1970 UTC
   * @param draws the random values; without them random numbers are 0.5, so that pauses with jitter are the same in each run of a test
   */
  take(startAt: number, draws?: Draws): ManualClock {
    const taken = this.#free.pop() ?? newClock(startAt);
    taken.draws = draws ?? fixed;
    taken.clock.set(startAt);
    this.#taken.set(taken.clock, taken);
    return taken.clock;
  }

  giveBack(clock: ManualClock): void {
    const taken = this.#taken.get(clock);
    if (!taken) return;
    this.#taken.delete(clock);
    this.#free.push(taken);
  }
}

const { uuid } = manualClock({ startAt: 0 }).world;
const fixed: Draws = { random: () => 0.5, uuid };

function newClock(startAt: number): TestClock {
  const manual = manualClock({ startAt });
  const test: { clock: ManualClock; draws: Draws } = {
    draws: fixed,
    clock: {
      ...manual,
      world: {
        ...manual.world,
        random: () => test.draws.random(),
        uuid: () => test.draws.uuid(),
      },
    },
  };
  return test;
}

/** The contact of the instances of tests. */
export const contact = 'person';

/** The contact that a test starts its instance with: for a workflow only if it runs a conversation as an agent. */
export function contactOf(
  definition: HostedDefinition,
  others: Readonly<Record<string, HostedDefinition>>,
): { readonly contact?: string } {
  const isHeld =
    kindIn(definition) !== 'workflow' ||
    Object.values(others).some((other) => kindIn(other) === 'conversation');
  return isHeld ? { contact } : {};
}

/** The definition without its lifecycle. */
export function flowOf(given: HostedDefinition): Compiled {
  return 'lifecycle' in given ? given.definition : given;
}

function kindIn(given: HostedDefinition) {
  return kindOf(flowOf(given).chart?.format);
}
