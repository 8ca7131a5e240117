import type { ChatFrame } from '../../../src/protocol.ts';
import { afterFrame, type Connection, type Store } from '../state/chat-state.ts';
import { type Api, RefusedError } from './api.ts';
import { Backoff } from './outbox.ts';

/** A hidden page closes its connection after this time. Browsers allow six for each host. */
const hiddenMs = 60_000;

/** Keeps the stream of the conversation open. Each stream begins with the present conversation, so nothing is missed. */
export class Stream {
  readonly #store: Store;
  readonly #api: Api;
  readonly #onOpen: () => void;
  readonly #backoff = new Backoff();
  #leaving = new AbortController();
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #resume: (() => void) | undefined;

  /** @param onOpen called when the channel is reached again */
  constructor(store: Store, api: Api, onOpen: () => void) {
    this.#store = store;
    this.#api = api;
    this.#onOpen = onOpen;
    addEventListener('offline', () => this.restart());
    addEventListener('online', this.#backoff.wake);
    document.addEventListener('visibilitychange', () => this.#followVisibility());
  }

  /** Begins again, as the current visitor. */
  restart(): void {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    this.#backoff.wake();
    this.#resume?.();
    this.#resume = undefined;
  }

  /** Runs until the page is left. */
  async run(): Promise<never> {
    for (;;) {
      if (this.#resume) await this.#resumed();
      const { signal } = this.#leaving;
      let waitMs = 0;
      let isClosed = false;
      try {
        for await (const frame of readFrames(await this.#api.stream(signal))) {
          if (signal.aborted) break;
          if (frame.type === 'snapshot') {
            this.#backoff.reset();
            this.#show('open');
            this.#onOpen();
          }
          this.#store.update((state) => afterFrame(state, frame));
        }
      } catch (error) {
        if (error instanceof RefusedError) {
          const { status, retryAfterMs = 0 } = error.problem;
          waitMs = retryAfterMs;
          // Also while a service is replaced, so the page asks again.
          isClosed = status === 401 || status === 404;
        }
      }
      if (signal.aborted && navigator.onLine) continue;
      const { connection } = this.#store.state;
      if (!navigator.onLine) this.#show('offline');
      else if (isClosed) this.#show('closed');
      else if (connection !== 'connecting') this.#show('reconnecting');
      await this.#backoff.wait(waitMs);
    }
  }

  #followVisibility(): void {
    clearTimeout(this.#hiding);
    if (document.visibilityState === 'hidden') {
      this.#hiding = setTimeout(() => {
        this.#resume = () => {};
        this.#leaving.abort();
      }, hiddenMs);
    } else if (this.#resume) this.restart();
    else this.#backoff.wake();
  }

  /** Fulfils when the page is shown again, or its visitor is another one. */
  async #resumed(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
  }

  #show(connection: Connection): void {
    this.#store.update((state) =>
      state.connection === connection ? state : { ...state, connection },
    );
  }
}

/** A stream that is silent for this long is broken: the channel sends a sign of life every 15 seconds. */
const silentMs = 45_000;

/**
 * The frames of a stream of server-sent events, Only `data` is read.
 *
 * @throws TypeError when the connection breaks, or is silent
 */
async function* readFrames(response: Response): AsyncGenerator<ChatFrame, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      unread += value;
      const events = unread.split('\n\n');
      unread = events.pop()!;
      for (const event of events)
        if (event.startsWith('data: ')) yield JSON.parse(event.slice(6)) as ChatFrame;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function withinSilence<Value>(reading: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError('The stream is silent.')), silentMs);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
