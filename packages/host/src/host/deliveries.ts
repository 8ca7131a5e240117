import type { Channel, OutgoingMessage } from '../channel/channel.ts';
import { RejectedError } from '../channel/channel.ts';
import { nobodyName, nobodyChannel } from '../channel/nobody-channel.ts';
import type { Clock } from '../clock/clock.ts';
import type { MessageLetter } from '../instance/letter.ts';

export interface Delivery {
  readonly instance: string;
  readonly address: string | null;
  readonly channel: string | null;
  readonly body: MessageLetter;
}

export type DeliveryOutcome =
  | { readonly type: 'sent' }
  | { readonly type: 'refused'; readonly because: string }
  /** The message is not wanted any more. */
  | { readonly type: 'given-up' }
  /** The message stays in the outbox: another host may be able to deliver it. */
  | { readonly type: 'kept' };

export interface DeliveryOptions {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  /** Milliseconds after which an attempt without an answer counts as failed. */
  readonly deliveryTimeout: number;
  readonly onError: (error: unknown, doing: string) => void;
}

/** Exponential backoff between attempts. */
const firstPauseMs = 1_000;
const pauseMaxMs = 60_000;

/**
 * Transmits messages to channels. A message of the agent is retried with the same id until the channel accepts it. A message
 * by hand is tried once, because its author waits for the answer.
 *
 * States: running, or stopped: then every retry ends, and its message is kept.
 */
export class Deliveries {
  readonly #options: DeliveryOptions;
  readonly #stop = new AbortController();

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** @param isWanted called before each attempt */
  async transmit(delivery: Delivery, isWanted: () => boolean): Promise<DeliveryOutcome> {
    const { channels, clock, onError } = this.#options;
    const channel = channelOf(channels, delivery.channel);
    if (!channel) return this.#withoutChannel(delivery);
    for (let attempt = 0; ; attempt += 1) {
      if (!isWanted()) return { type: 'given-up' };
      if (this.#stop.signal.aborted) return { type: 'kept' };
      try {
        await this.#attempt(channel, delivery);
        return { type: 'sent' };
      } catch (error) {
        const because = error instanceof Error ? error.message : String(error);
        if (error instanceof RejectedError || delivery.body.role === 'manual')
          return { type: 'refused', because };
        onError(error, delivering(delivery));
      }
      const pause = Math.min(firstPauseMs * 2 ** Math.min(attempt, 10), pauseMaxMs);
      const at = clock.world.now() + pause * (0.5 + clock.world.random() / 2);
      try {
        await clock.timer({ key: 'delivery', at }, { signal: this.#stop.signal, onText: () => {} });
      } catch {
        return { type: 'kept' };
      }
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  /** The next host may have the channel, so messages are kept, except those by hand, whose author waits. */
  #withoutChannel(delivery: Delivery): DeliveryOutcome {
    const { channel, body } = delivery;
    if (channel === null) return { type: 'refused', because: 'The host has no channels.' };
    const because = `There is no channel ${JSON.stringify(channel)}.`;
    if (body.role === 'manual') return { type: 'refused', because };
    const { onError } = this.#options;
    onError(new Error(`${because} The message is kept.`), delivering(delivery));
    return { type: 'kept' };
  }

  async #attempt(channel: Channel, { instance, address, body }: Delivery): Promise<void> {
    const { message: id, role, text, at } = body;
    const message: OutgoingMessage = { id, instance, contact: address, role, text, at };
    const { deliveryTimeout } = this.#options;
    const attempt = new AbortController();
    let timeout: NodeJS.Timeout | undefined;
    // Real time, not the clock of the machines: the channel is an external program.
    const late = new Promise<never>((_, reject) => {
      timeout = setTimeout(() => {
        const error = new Error(`The channel has not answered for ${deliveryTimeout} ms.`);
        attempt.abort(error);
        reject(error);
      }, deliveryTimeout);
      timeout.unref();
    });
    try {
      await Promise.race([channel.deliver(message, { signal: attempt.signal }), late]);
    } finally {
      clearTimeout(timeout);
    }
  }
}

function delivering({ instance }: Delivery): string {
  return `delivering a message of ${JSON.stringify(instance)}`;
}

/** The channel with the name; the first one when no name is given. */
function channelOf(
  channels: ReadonlyMap<string, Channel>,
  name: string | null,
): Channel | undefined {
  if (name === nobodyName) return nobodyChannel;
  if (name !== null) return channels.get(name);
  const [first] = channels.values();
  return first;
}
