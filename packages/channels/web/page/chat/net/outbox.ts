import type { SentFile } from '../../../src/protocol.ts';
import { type PendingMessage, type Store, withoutEchoes } from '../state/chat-state.ts';
import { type Api, RefusedError } from './api.ts';
import type { KeptValues } from './stored-values.ts';

/** A message as it is written. */
export interface WrittenMessage {
  readonly text: string;
  /** The id of the message that it replaces. */
  readonly replaces?: string;
  readonly files?: readonly SentFile[];
}

/** Refusals after which the same message may be accepted. */
const temporary = [401, 403, 404, 408, 421, 425, 429];

/**
 * Sends the visitor's messages in their order, each until the channel has it, always with the same id. They survive a reload of
 * the page, except files, for which the storage of a browser has no room: it asks before the page is left. A message that is
 * refused for good stays at its place, and those after it are sent.
 */
export class Outbox {
  readonly #store: Store;
  readonly #api: Api;
  readonly #kept: KeptValues;
  readonly #backoff = new Backoff();
  #isSending = false;

  constructor(store: Store, api: Api, kept: KeptValues) {
    this.#store = store;
    this.#api = api;
    this.#kept = kept;
    store.onChange(({ pending }, before) => {
      if (pending === before.pending) return;
      const small = pending.filter(({ files }) => !files);
      kept.set('outbox', small.length === 0 ? undefined : JSON.stringify(small));
    });
    addEventListener('beforeunload', (event) => {
      const isUnsent = ({ files, state }: PendingMessage) => files && state !== 'sent';
      if (store.state.pending.some(isUnsent)) event.preventDefault();
    });
    addEventListener('online', this.#backoff.wake);
  }

  /** Restores the messages that the page had when it was left. */
  restore(): void {
    const pending = JSON.parse(this.#kept.get('outbox') ?? '[]') as readonly PendingMessage[];
    this.#change(() =>
      pending.map((each) => (each.state === 'failed' ? each : { ...each, state: 'waiting' })),
    );
    void this.#sendAll();
  }

  /** Sends again: the channel is reached again. */
  readonly wake = (): void => {
    this.#backoff.wake();
    void this.#sendAll();
  };

  clear(): void {
    this.#change(() => []);
  }

  add(written: WrittenMessage): void {
    const id = crypto.randomUUID();
    const message: PendingMessage = { ...written, id, at: Date.now(), state: 'waiting' };
    this.#change((pending) => [...pending, message]);
    void this.#sendAll();
  }

  retry(id: string): void {
    this.#mark(id, 'waiting');
    void this.#sendAll();
  }

  discard(id: string): void {
    this.#change((pending) => pending.filter((each) => each.id !== id));
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let next = this.#next(); next; next = this.#next()) await this.#send(next);
    } finally {
      this.#isSending = false;
    }
  }

  #next(): PendingMessage | undefined {
    return this.#store.state.pending.find(({ state }) => state === 'waiting');
  }

  async #send({ id, text, replaces, files }: PendingMessage): Promise<void> {
    this.#mark(id, 'sending');
    try {
      const stored = await this.#api.send({ id: replaces ?? id, text, files });
      this.#backoff.reset();
      this.#mark(id, 'sent', stored.id);
    } catch (error) {
      const problem = error instanceof RefusedError ? error.problem : undefined;
      const status = problem?.status ?? 503;
      if (status < 500 && !temporary.includes(status)) return this.#mark(id, 'failed');
      this.#mark(id, 'waiting');
      const waitMs = problem?.retryAfterMs ?? 0;
      this.#slowDown(waitMs === 0 ? undefined : Date.now() + waitMs);
      await this.#backoff.wait(waitMs);
      this.#slowDown(undefined);
    }
  }

  #slowDown(slowUntil: number | undefined): void {
    this.#store.update((state) => ({ ...state, slowUntil }));
  }

  /** @param now the id from now on */
  #mark(id: string, state: PendingMessage['state'], now = id): void {
    this.#change((pending) =>
      pending.map((each) => (each.id === id ? { ...each, state, id: now } : each)),
    );
  }

  #change(change: (pending: readonly PendingMessage[]) => readonly PendingMessage[]): void {
    this.#store.update((state) => withoutEchoes({ ...state, pending: change(state.pending) }));
  }
}

const firstMs = 1_000;
const longestMs = 30_000;

/** Waits between attempts, longer each time. A wait ends early when the page may be connected again. */
export class Backoff {
  #attempts = 0;
  #wake: () => void = () => {};

  reset(): void {
    this.#attempts = 0;
  }

  /** Ends the running wait. */
  readonly wake = (): void => {
    this.reset();
    this.#wake();
  };

  /** @param atLeastMs when the channel has said how long to wait */
  wait(atLeastMs = 0): Promise<void> {
    const delay = Math.min(longestMs, firstMs * 2 ** this.#attempts);
    this.#attempts += 1;
    // Jitter: pages that lost the same host do not come back at the same moment.
    const varied = delay * (0.5 + Math.random() / 2);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(atLeastMs, varied));
      this.#wake = () => {
        if (atLeastMs > 0) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
