import type { Clock } from '../clock/clock.ts';
import type { ActiveInstances } from './active-instances.ts';
import type { OnError } from './error-reporter.ts';

const pauseMs = 1_000;

/** Loads broken instances again from the store, after a pause. It is running, or stopped for good. */
export class Reviver {
  readonly #clock: Clock;
  readonly #onError: OnError;
  readonly #stop = new AbortController();

  constructor(clock: Clock, onError: OnError) {
    this.#clock = clock;
    this.#onError = onError;
  }

  revive(id: string, error: unknown, activeInstances: ActiveInstances): void {
    const { signal } = this.#stop;
    this.#onError(error, `carrying the instance ${JSON.stringify(id)}`);
    if (signal.aborted) return;
    const at = this.#clock.world.now() + pauseMs;
    const call = { signal, onText: () => {} };
    Promise.resolve(this.#clock.timer({ key: 'revive', at }, call))
      .then(() => activeInstances.use(id, () => {}))
      .catch((reason: unknown) => {
        if (!signal.aborted) this.#onError(reason, `loading the instance ${JSON.stringify(id)}`);
      });
  }

  stop(): void {
    this.#stop.abort();
  }
}
