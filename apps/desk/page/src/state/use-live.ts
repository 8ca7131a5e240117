import { useCallback, useEffect, useRef, useState } from 'react';
import type { Live } from '../service/live.ts';

export interface Loaded<Value> {
  /** Undefined until it is loaded. The old value stays while it is loaded again, or if that fails. */
  readonly value: Value | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

/**
 * Loads a value and loads it again when the service reports a change.
 *
 * @param key identifies the value: a new one discards the old value
 * @param instance the conversation whose changes matter; all when left out
 */
export function useLive<Value>(
  live: Live,
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  { instance, pauseMs = 250 }: { readonly instance?: string; readonly pauseMs?: number } = {},
): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: unknown }>({ key });
  const latest = useRef(load);
  latest.current = load;
  const refresher = useRef<Refresher>(undefined);
  useEffect(() => {
    const made = new Refresher(async (signal) => {
      try {
        const value = await latest.current(signal);
        if (!signal.aborted) setState({ key, value });
      } catch (error) {
        if (signal.aborted) return;
        setState((before) => ({ ...(before.key === key ? before : { key }), error }));
      }
    }, pauseMs);
    refresher.current = made;
    made.refresh();
    const leave = live.onChanges((changes) => {
      if (changes === 'all' || instance === undefined || changes.has(instance)) made.refresh();
    });
    return () => {
      leave();
      made.stop();
    };
  }, [live, key, instance, pauseMs]);
  const reload = useCallback(() => refresher.current?.refresh(), []);
  const current = state.key === key ? state : { value: undefined, error: undefined };
  return { value: current.value, error: current.error, reload };
}

/** Runs a task again and again: at most one at a time, and with a pause between two. */
export class Refresher {
  readonly #task: (signal: AbortSignal) => Promise<void>;
  readonly #pauseMs: number;
  readonly #stopping = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;
  #isWanted = false;

  /** @param task reports its own errors */
  constructor(task: (signal: AbortSignal) => Promise<void>, pauseMs: number) {
    this.#task = task;
    this.#pauseMs = pauseMs;
  }

  /** Runs the task now, or once more after the running one and the pause. */
  readonly refresh = (): void => {
    this.#isWanted = true;
    if (!this.#isRunning && this.#timer === undefined) void this.#run();
  };

  stop(): void {
    clearTimeout(this.#timer);
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    this.#isWanted = false;
    this.#isRunning = true;
    try {
      await this.#task(signal);
    } finally {
      this.#isRunning = false;
    }
    if (signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isWanted) void this.#run();
    }, this.#pauseMs);
  }
}
