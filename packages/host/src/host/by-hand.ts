import { messageLetter } from '../instance/letter.ts';
import type { HostEvent } from '../instance/event.ts';

/** People who wrote by hand and wait to hear whether the channel has taken it. */
export class ByHand {
  readonly #waiting = new Map<string, (because: string | undefined) => void>();

  /** @returns undefined once the channel has the message, else why it has not */
  wait(message: string): Promise<string | undefined> {
    return new Promise((resolve) => this.#waiting.set(messageLetter(message), resolve));
  }

  forget(message: string): void {
    this.#waiting.delete(messageLetter(message));
  }

  hear(events: readonly HostEvent[]): void {
    for (const { event } of events) {
      if (event.type !== 'message.delivered' && event.type !== 'message.rejected') continue;
      const { id, because } = event;
      const tell = this.#waiting.get(messageLetter(String(id)));
      tell?.(typeof because === 'string' ? because : undefined);
    }
  }

  end(because: string): void {
    for (const tell of this.#waiting.values()) tell(because);
    this.#waiting.clear();
  }
}
