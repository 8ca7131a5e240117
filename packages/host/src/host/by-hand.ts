import type { Answer, HostEvent } from '../instance/event.ts';
import { messageLetter } from '../instance/letter.ts';
import { refusal } from '../instance/refusal.ts';
import type { ActiveInstances } from './active-instances.ts';

export interface ByHandOptions {
  readonly activeInstances: ActiveInstances;
  /** Milliseconds until a message is given up that the channel has not taken. */
  readonly deliveryTimeout: number;
  readonly stateOf: (id: string) => Promise<string>;
  readonly onError: (error: unknown, doing: string) => void;
}

/** People who write by hand, and wait to hear whether the channel has taken it. */
export class ByHand {
  readonly #options: ByHandOptions;
  readonly #waiting = new Map<string, (because: string | undefined) => void>();

  constructor(options: ByHandOptions) {
    this.#options = options;
  }

  /** Fulfils once the channel has taken the message, or it is known that it does not. */
  async write(id: string, text: string): Promise<Answer> {
    const { activeInstances, deliveryTimeout, stateOf } = this.#options;
    const message = `by-hand-${crypto.randomUUID()}`;
    const letter = messageLetter(message);
    const taken = new Promise<string | undefined>((resolve) => this.#waiting.set(letter, resolve));
    const late = setInterval(() => this.#giveUp(id, letter), deliveryTimeout).unref();
    try {
      const event = { type: 'intervene', id: message, text };
      const asked = await activeInstances.use(id, (runner) => runner.receive(event));
      if (!asked.accepted) return asked;
      const because = await taken;
      const state = activeInstances.peek(id)?.stored.status ?? (await stateOf(id));
      if (because === undefined) return { accepted: true, state };
      return refusal('message/not-delivered', because, state);
    } finally {
      clearInterval(late);
      this.#waiting.delete(letter);
    }
  }

  hear(events: readonly HostEvent[]): void {
    for (const { event } of events) {
      if (event.type !== 'message.delivered' && event.type !== 'message.rejected') continue;
      const { id, because } = event;
      const tell = this.#waiting.get(messageLetter(String(id)));
      tell?.(typeof because === 'string' ? `The channel has not taken it: ${because}` : undefined);
    }
  }

  end(because: string): void {
    for (const tell of this.#waiting.values()) tell(because);
    this.#waiting.clear();
  }

  /** Whoever writes is not left waiting behind messages that the channel does not take. */
  #giveUp(id: string, letter: string): void {
    const because = 'the messages before it have not been taken yet.';
    this.#options.activeInstances
      .use(id, async (runner) => {
        // The first one is with the channel at this moment, which will say what comes of it.
        if (runner.instance.messages[0]?.letter === letter) return;
        await runner.step((instance) => instance.notSent(letter, because));
        // Whoever waits still has missed what came of it: it was stored, and the store did not say so.
        this.#waiting.get(letter)?.('What has come of it is in the journal only.');
      })
      .catch((error: unknown) => this.#options.onError(error, 'giving up a message by hand'));
  }
}
