import { type Host, HostError, type HostErrorCode, StoreError } from '@dramaturg/host';
import type { Chance } from '@dramaturg/testing';
import { type AskOptions, type Deployment, NoAnswerError } from '../machine/deployment.ts';
import type { Scheduler } from '../time/scheduler.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** Requests of the crowd to the host. A request that failed or got no answer is repeated until it succeeds. */
export class Requests {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly #deployment: Deployment;

  constructor(scheduler: Scheduler, chance: Chance, deployment: Deployment) {
    this.scheduler = scheduler;
    this.chance = chance;
    this.#deployment = deployment;
  }

  pause(from: number, to: number): Promise<void> {
    return this.scheduler.sleep(this.chance.between(from, to));
  }

  /** @returns undefined when it is unknown whether the request had an effect */
  async once<Value>(
    work: (host: Host) => Promise<Value>,
    options?: AskOptions,
  ): Promise<Value | undefined> {
    try {
      return await this.#deployment.ask(work, options);
    } catch (error) {
      if (!isTransient(error)) throw error;
      return undefined;
    }
  }

  async until<Value>(work: (host: Host) => Promise<Value>, options?: AskOptions): Promise<Value> {
    for (;;) {
      const value = await this.once(work, options);
      if (value !== undefined) return value;
      await this.pause(1_000, 10 * minuteMs);
    }
  }

  /** Repeats a query until its answer is true. */
  async untilTrue(
    work: (host: Host) => Promise<boolean>,
    pauseMs: readonly [number, number],
  ): Promise<void> {
    while ((await this.once(work)) !== true) await this.pause(...pauseMs);
  }

  /** Starts an instance. A start without an answer is repeated. The host refuses the repetition if the first start was stored. */
  async start(definition: string, options: Parameters<Host['start']>[1]): Promise<void> {
    await this.until(async (host) => {
      try {
        await host.start(definition, options);
      } catch (error) {
        if (!(error instanceof HostError && error.code === 'host/exists')) throw error;
      }
      return true;
    });
  }
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof NoAnswerError ||
    error instanceof StoreError ||
    (error instanceof HostError && transientCodes.has(error.code))
  );
}

/**
 * Errors after which a request is repeated. A replaced host does not know the newest instances, decisions and ends. An instance
 * is set aside, until an operator resumes it, when two processes in a row have died in its step.
 */
const transientCodes: ReadonlySet<HostErrorCode> = new Set([
  'host/stopped',
  'host/unknown-instance',
  'host/unknown-decision',
  'host/instances-running',
  'host/set-aside',
]);
