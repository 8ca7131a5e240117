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

/** A message of a contact. Its text is unique. */
export interface Sent {
  readonly id: string;
  readonly text: string;
  /** Numbers of the first attempt and of the acknowledgement, in one sequence for all messages. */
  readonly sentAt: number;
  acknowledgedAt?: number;
  /** The accepted request: its host, and its number in the sequence. */
  takenBy?: { readonly host: Host; readonly at: number };
}

/** A decision, and the person who received its acknowledgement. */
export interface Decided {
  readonly decision: string;
  readonly by: string;
}

/** The actions of the crowd, and the acknowledgements that it has received. The store must have all of them at the end. */
export class Ledger {
  /** Messages by contact, in the order of their first attempts. */
  readonly messages = new Map<string, Sent[]>();
  /** Conversations by contact, in the order of their starts. */
  readonly conversations = new Map<string, string[]>();
  /** Conversations with a contact that never answers, and the number of reminders. */
  readonly silent = new Map<string, number>();
  readonly orders = new Set<string>();
  /** Runs of many items without calls. */
  readonly heaps = new Set<string>();
  /** Reviews, with their acknowledged decisions. */
  readonly reviews = new Map<string, Decided[]>();
  /** Parcels, with the acknowledged events. */
  readonly parcels = new Map<string, string[]>();
  /** Messages by hand that were acknowledged. */
  readonly byHand: { readonly instance: string; readonly text: string }[] = [];
  /** Instances that an operator has asked to cancel. */
  readonly cancelled = new Set<string>();
  /** Contacts whose data was erased. */
  readonly erased = new Set<string>();
  #sequence = 0;

  /** Whether a conversation belongs to a contact whose data was erased. */
  isErased(id: string): boolean {
    return /^talk-(\d+)/.test(id) && this.erased.has(`contact ${id.split('-')[1]}`);
  }

  /** The next number of the sequence. */
  next(): number {
    return (this.#sequence += 1);
  }
}
