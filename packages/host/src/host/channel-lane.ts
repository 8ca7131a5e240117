import { withoutSecrets } from '@dramaturg/compiler/secrets';
import type { Activity } from '../admission/activity.ts';
import { backoff } from '../admission/backoff.ts';
import { type BreakerState, CircuitBreaker } from '../admission/circuit-breaker.ts';
import { Lane, type Ticket } from '../admission/lane.ts';
import type { Schedule } from '../admission/schedule.ts';
import {
  type Channel,
  type OutgoingMessage,
  RejectedError,
  RetryLaterError,
} from '../channel/channel.ts';
import type { FailedAttempt } from '../instance/event.ts';
import { type MessageLetter, noChannels } from '../instance/letter.ts';
import type { OnError } from './error-reporter.ts';

/** The next message of an instance on one route, which waits for the channel. */
interface NextMessage {
  readonly instance: string;
  readonly route: string;
}

/** The key of the next message of an instance on one route. JSON, because any string can be an id or a name. */
export function messageKey(instance: string, route: string): string {
  return JSON.stringify([instance, route]);
}

function readKey(key: string): NextMessage {
  const [instance, route] = JSON.parse(key) as [string, string];
  return { instance, route };
}

/** A message for a channel. */
export interface Delivery {
  readonly instance: string;
  readonly address: string | null;
  readonly body: MessageLetter;
}

export type DeliveryOutcome =
  | { readonly type: 'sent'; readonly before?: Failures | undefined }
  | { readonly type: 'refused'; readonly because: string }
  /** The ticket is back in the lane, and the message is tried again later. */
  | { readonly type: 'failed' }
  /** The message stays in the outbox: another host may be able to deliver it. */
  | { readonly type: 'kept' };

/** The attempts before one that succeeds. */
export interface Failures {
  readonly count: number;
  /** The last failed attempts. */
  readonly latest: readonly FailedAttempt[];
}

const latestMax = 10;
/** The number of characters that are kept of a reason. */
const longestReason = 500;

/** The longest pause that a provider can ask for. */
const longestPauseMs = 3_600_000;

/** Gives a message to the channel, once. */
export type Transmit = (delivery: Delivery) => Promise<DeliveryOutcome>;

export interface ChannelLaneOptions {
  /** Undefined when the host has no channels. */
  readonly name: string | undefined;
  /** Undefined when the host does not have it. */
  readonly channel: Channel | undefined;
  /** How many messages the channel gets at the same time. */
  readonly concurrency: number;
  /** Milliseconds after which an attempt without an answer counts as failed. */
  readonly deliveryTimeout: number;
  /** Loads an instance, and sends its next message on a route. Must not reject. */
  readonly send: (next: NextMessage, begin: () => void, transmit: Transmit) => Promise<void>;
  /** See `LaneOptions`. */
  readonly startsPerTurn?: number | undefined;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly activity: Activity;
  readonly onError: OnError;
}

/**
 * Owns the messages that wait for one channel, and transmits them. A failed message is retried with the same id, after a pause
 * that grows with its failures. In an outage only one message is tried from time to time, see `CircuitBreaker`; afterwards all
 * messages are ready. A message by hand is tried once, because its author waits for the answer.
 */
export class ChannelLane {
  readonly #options: ChannelLaneOptions;
  readonly #lane: Lane;
  readonly #breaker: CircuitBreaker;
  /** The failed attempts of the first message of a route, by the key of its ticket. */
  readonly #failures = new Map<string, Failures>();

  constructor(options: ChannelLaneOptions) {
    const { concurrency, send, startsPerTurn, schedule, random, activity } = options;
    this.#options = options;
    this.#lane = new Lane({
      concurrency,
      startsPerTurn,
      schedule,
      activity,
      work: (ticket, begin) =>
        send(readKey(ticket.key), begin, (delivery) => this.#transmit(ticket, delivery)),
    });
    const onChange = (state: BreakerState) => this.#onBreaker(state);
    this.#breaker = new CircuitBreaker({ schedule, random, onChange });
  }

  add(ticket: Ticket): void {
    this.#lane.add(ticket);
  }

  #onBreaker(state: BreakerState): void {
    this.#lane.limit({ closed: Infinity, open: 0, 'half-open': 1 }[state]);
    if (state === 'closed') this.#lane.endDelays();
  }

  async #transmit(ticket: Ticket, delivery: Delivery): Promise<DeliveryOutcome> {
    const { channel } = this.#options;
    if (!channel) return this.#withoutChannel(delivery);
    try {
      await this.#attempt(channel, delivery);
    } catch (error) {
      return this.#onFailure(error, ticket, delivery);
    }
    const before = this.#failures.get(ticket.key);
    this.#onAnswer(ticket);
    return { type: 'sent', before };
  }

  #onFailure(error: unknown, ticket: Ticket, delivery: Delivery): DeliveryOutcome {
    const because = error instanceof Error ? error.message : String(error);
    if (error instanceof RejectedError) {
      this.#onAnswer(ticket);
      return { type: 'refused', because };
    }
    // A provider that limits the rate works.
    if (error instanceof RetryLaterError) this.#breaker.succeeded();
    else this.#breaker.failed(ticket.key);
    if (delivery.body.role === 'manual') return { type: 'refused', because };
    this.#report(error, delivery);
    const leastMs = error instanceof RetryLaterError ? error.retryAfterMs : 0;
    this.#retryLater(ticket, because, leastMs);
    return { type: 'failed' };
  }

  /** Keeps messages, because the next host may have the channel. Rejects messages by hand, because their authors wait. */
  #withoutChannel(delivery: Delivery): DeliveryOutcome {
    const { name } = this.#options;
    if (name === undefined) return { type: 'refused', because: noChannels };
    const because = `There is no channel ${JSON.stringify(name)}.`;
    if (delivery.body.role === 'manual') return { type: 'refused', because };
    this.#report(new Error(`${because} The message is kept.`), delivery);
    return { type: 'kept' };
  }

  #report(error: unknown, { instance }: Delivery): void {
    const { name, onError } = this.#options;
    onError(
      error,
      `delivering a message of ${JSON.stringify(instance)}`,
      `delivering through ${name}`,
    );
  }

  /** Notes that the channel works: it has accepted or rejected a message. */
  #onAnswer({ key }: Ticket): void {
    this.#failures.delete(key);
    this.#breaker.succeeded();
  }

  /** @param leastMs the pause that the provider asks for */
  #retryLater(ticket: Ticket, because: string, leastMs: number): void {
    const { random, schedule } = this.#options;
    const { count, latest } = this.#failures.get(ticket.key) ?? { count: 0, latest: [] };
    const reason = withoutSecrets(because).slice(0, longestReason);
    const last = [...latest, { at: schedule.now, because: reason }].slice(-latestMax);
    this.#failures.set(ticket.key, { count: count + 1, latest: last });
    const pause = Math.max(backoff(count + 1, random), Math.min(leastMs, longestPauseMs));
    this.#lane.addAfter(pause, ticket);
  }

  async #attempt(channel: Channel, { instance, address, body }: Delivery): Promise<void> {
    const { message: id, role, text, at } = body;
    const message: OutgoingMessage = { id, instance, contact: address, role, text, at };
    const { deliveryTimeout, schedule } = this.#options;
    const attempt = new AbortController();
    let cancelTimeout = () => {};
    const late = new Promise<never>((_, reject) => {
      cancelTimeout = schedule.after(deliveryTimeout, () => {
        const error = new Error(`The channel has not answered for ${deliveryTimeout} ms.`);
        attempt.abort(error);
        reject(error);
      });
    });
    try {
      await Promise.race([channel.deliver(message, { signal: attempt.signal }), late]);
    } finally {
      cancelTimeout();
    }
  }
}
