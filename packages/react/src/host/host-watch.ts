import type { HostEvent, InstanceSummary } from '@dramaturg/host';
import type { TimelineEvent } from '../timeline/timeline.tsx';
import type { HostProtocol } from './host-client.ts';

/** The known state of a host. */
export interface HostState {
  /** `lost` reconnects automatically. */
  readonly connection: 'connecting' | 'open' | 'lost';
  /** Why the connection was lost. */
  readonly error: unknown;
  /** Oldest first. Changed instances are loaded again. */
  readonly instances: readonly InstanceSummary[];
  /** The last thousand events since the page was opened. `source` is the instance, and the part of it that emitted the event. */
  readonly events: readonly TimelineEvent[];
}

export const unknownHost: HostState = {
  connection: 'connecting',
  error: undefined,
  instances: [],
  events: [],
};

const mostEvents = 1_000;
/** Milliseconds in which changes are collected before they are loaded. */
const gathering = 60;
const [firstPauseMs, longestPauseMs] = [500, 10_000];

/** Follows a host and reconnects after an interruption. Independent of React. */
export class HostWatch {
  readonly #client: HostProtocol;
  readonly #listeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  readonly #changed = new Set<string>();
  #gathered: ReturnType<typeof setTimeout> | undefined;
  #state = unknownHost;
  #count = 0;

  constructor(client: HostProtocol) {
    this.#client = client;
  }

  get state(): HostState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Follows until it is stopped. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    await keepFollowing(
      signal,
      async (onOpen) => {
        const attempt = new AbortController();
        const either = AbortSignal.any([signal, attempt.signal]);
        try {
          const events = await this.#client.events({}, either);
          // Loaded after subscribing, so that no event in between is missed.
          this.#set({ instances: await this.#all(either), connection: 'open', error: undefined });
          onOpen();
          for await (const event of events) this.#apply(event);
        } finally {
          // An unread event stream would stay open.
          attempt.abort();
        }
      },
      (error) => this.#set({ connection: 'lost', error }),
    );
  }

  stop(): void {
    clearTimeout(this.#gathered);
    this.#listeners.clear();
    this.#stopping.abort();
  }

  async #all(signal: AbortSignal): Promise<readonly InstanceSummary[]> {
    const instances: InstanceSummary[] = [];
    let after: string | undefined;
    do {
      const page = await this.#client.list(
        { limit: 1_000, ...(after === undefined ? {} : { after }) },
        signal,
      );
      instances.push(...page.items);
      after = page.next;
    } while (after !== undefined && !signal.aborted);
    return instances;
  }

  #apply({ instance, at, source, event }: HostEvent): void {
    this.#count += 1;
    const entry = { id: String(this.#count), at, source: `${instance} ${source}`, event };
    this.#set({ events: [...this.#state.events, entry].slice(-mostEvents) });
    this.#changed.add(instance);
    this.#gathered ??= setTimeout(() => void this.#askAgain(), gathering);
  }

  async #askAgain(): Promise<void> {
    this.#gathered = undefined;
    const ids = [...this.#changed];
    this.#changed.clear();
    const answers = await Promise.allSettled(ids.map((id) => this.#client.get(id)));
    const byId = new Map(this.#state.instances.map((each) => [each.id, each]));
    for (const answer of answers)
      // Others are loaded again after reconnecting.
      if (answer.status === 'fulfilled') byId.set(answer.value.id, answer.value);
    this.#set({ instances: [...byId.values()] });
  }

  #set(change: Partial<HostState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/**
 * Follows a stream again and again, with longer pauses after each failure.
 *
 * @param follow calls its parameter once the stream is open
 * @param onLost gets the error with which the stream has ended
 */
export async function keepFollowing(
  signal: AbortSignal,
  follow: (onOpen: () => void) => Promise<void>,
  onLost: (error: unknown) => void,
): Promise<void> {
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    let error: unknown;
    try {
      await follow(() => {
        pauseMs = firstPauseMs;
      });
    } catch (thrown) {
      error = thrown;
    }
    if (signal.aborted) return;
    onLost(error);
    await waited(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

function waited(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
