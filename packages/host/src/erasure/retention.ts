import type { Clock } from '../clock/clock.ts';
import type { OnError } from '../host/error-reporter.ts';
import type { RecordSummary, Store } from '../store/contract.ts';
import { readPages } from '../store/pages.ts';
import type { Eraser } from './eraser.ts';
import { type RetentionPolicy, requireTimes, retentionOf, timesOf } from './retention-policy.ts';

export interface RetentionOptions {
  readonly policy: RetentionPolicy;
  readonly store: Store;
  readonly eraser: Pick<Eraser, 'instances' | 'whenForgotten'>;
  readonly clock: Clock;
  readonly onError: OnError;
}

/** How many instances are erased before other work gets its turn. */
const sliceLength = 20;
/** The pause between two slices. */
const pauseMs = 20;
const roundMinMs = 1_000;
const roundMaxMs = 3_600_000;

/**
 * Erases ended instances when their time is over, in rounds in the background. A child is erased with its parent, because a
 * parent that has not received the ending of its child would start the child again.
 *
 * States: waiting for the next round, in a round, stopped.
 */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  /** @throws HostError `host/bad-request` */
  constructor(options: RetentionOptions) {
    this.#options = options;
    requireTimes(options.policy);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Fulfils when nothing is being erased any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { policy, onError } = this.#options;
    const shortest = Math.min(...timesOf(policy));
    const interval = Math.min(Math.max(shortest, roundMinMs), roundMaxMs);
    do {
      try {
        await this.#round();
      } catch (error) {
        onError(error, 'erasing instances whose time is over');
      }
    } while (await this.#pause(interval));
  }

  async #round(): Promise<void> {
    const { store, eraser } = this.#options;
    let hasErased = false;
    const ended = { kind: 'instance', ended: true };
    for await (const page of readPages((request) => store.list(ended, request))) {
      const over: RecordSummary[] = [];
      for (const each of page)
        if (this.#isOver(each) && !(await this.#hasParent(each))) over.push(each);
      for (let at = 0; at < over.length; at += sliceLength) {
        if (this.#stop.signal.aborted) return;
        await eraser.instances(over.slice(at, at + sliceLength));
        hasErased = true;
        if (!(await this.#pause(pauseMs))) return;
      }
      if (!(await this.#pause(pauseMs))) return;
    }
    if (!hasErased) return;
    await eraser.whenForgotten();
    await store.compact();
  }

  #isOver({ definition, updatedAt }: RecordSummary): boolean {
    const { policy, clock } = this.#options;
    const time = retentionOf(policy, definition?.name ?? '');
    return updatedAt + time <= clock.world.now();
  }

  async #hasParent({ parent }: RecordSummary): Promise<boolean> {
    return parent !== undefined && (await this.#options.store.read(parent)) !== undefined;
  }

  /** @returns false when it was stopped */
  async #pause(ms: number): Promise<boolean> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    if (signal.aborted) return false;
    const at = clock.world.now() + ms;
    try {
      await clock.timer({ key: 'retention', at }, { signal, onText: () => {} });
      return true;
    } catch {
      // The clock rejects a timer that was aborted.
      return false;
    }
  }
}
