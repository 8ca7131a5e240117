import type { ChatMessage } from '../../../src/protocol.ts';
import type { Store } from '../state/chat-state.ts';
import type { Api } from './api.ts';

/** Messages that come together are reported together. */
const pauseMs = 400;

/** Reports the latest message of somebody else once the visitor sees it. */
export class ReadReceipts {
  readonly #store: Store;
  readonly #api: Api;
  readonly #isShown: () => boolean;
  /** The latest message of others that the visitor has seen. */
  #seen: ChatMessage | undefined;
  #reported: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param isShown whether the chat is open on the page around it */
  constructor(store: Store, api: Api, isShown: () => boolean) {
    this.#store = store;
    this.#api = api;
    this.#isShown = isShown;
    store.onChange(({ messages }, before) => {
      if (messages !== before.messages) this.check();
    });
    document.addEventListener('visibilitychange', () => this.check());
    addEventListener('pagehide', this.flush);
  }

  /** The number of messages of others that the visitor has not seen, including those that came while no page was open. */
  get unread(): number {
    const { messages } = this.#store.state;
    const seen = messages.findLastIndex(({ id, isRead }) => isRead || id === this.#seen?.id);
    return messages.slice(seen + 1).filter(({ from }) => from !== 'visitor').length;
  }

  /** Looks whether the visitor sees more messages now. */
  check(): void {
    if (!this.#isShown() || document.visibilityState !== 'visible') return;
    this.#seen = this.#store.state.messages.findLast(({ from }) => from !== 'visitor');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.flush, pauseMs);
  }

  /** Reports immediately: the chat is being closed, or the page left. */
  readonly flush = (): void => {
    clearTimeout(this.#timer);
    const seen = this.#seen;
    if (!seen || seen.isRead || seen.id === this.#reported) return;
    this.#reported = seen.id;
    // After a failure, the report of the next message covers this one.
    this.#api.read(seen).catch(() => {});
  };
}
