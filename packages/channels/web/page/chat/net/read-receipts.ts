import type { Store } from '../state/store.ts';
import type { Api } from './api.ts';

/** Messages that come together are reported together. */
const pauseMs = 400;

/** Reports the latest message of somebody else once the visitor sees it. */
export class ReadReceipts {
  readonly #store: Store;
  readonly #api: Api;
  readonly #isShown: () => boolean;
  #reported: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param isShown whether the chat is open on the page around it */
  constructor(store: Store, api: Api, isShown: () => boolean) {
    this.#store = store;
    this.#api = api;
    this.#isShown = isShown;
    store.onChange(({ messages, connection }, before) => {
      if (messages !== before.messages || connection !== before.connection) this.check();
    });
    document.addEventListener('visibilitychange', () => this.check());
  }

  /** How many messages of others the visitor has not seen, also from when no page was open. */
  get unread(): number {
    const { messages } = this.#store.state;
    const seen = messages.findLastIndex(({ id, isRead }) => isRead || id === this.#reported);
    return messages.slice(seen + 1).filter(({ from }) => from !== 'visitor').length;
  }

  /** The visitor may see more now. */
  check(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#report(), pauseMs);
  }

  async #report(): Promise<void> {
    const { messages, connection } = this.#store.state;
    const latest = messages.findLast(({ from }) => from !== 'visitor');
    const isSeen = this.#isShown() && document.visibilityState === 'visible';
    if (!latest || !isSeen || connection !== 'open' || latest.id === this.#reported) return;
    this.#reported = latest.id;
    try {
      await this.#api.read(latest);
    } catch {
      // The next message is reported with all before it.
    }
  }
}
