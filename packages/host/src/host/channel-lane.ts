import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { backoff } from '../admission/backoff.ts';
import { type BreakerState, CircuitBreaker } from '../admission/circuit-breaker.ts';
import { Deadline } from '../admission/deadline.ts';
import { Lane, type LaneOptions, type Priority, type Ticket } from '../admission/lane.ts';
import {
  type Channel,
  type OutgoingMessage,
  RejectedError,
  RetryLaterError,
} from '../channel/channel.ts';
import { storeChannels } from '../channel/store-channels.ts';
import type { FailedAttempt } from '../instance/event.ts';
import { type MessageLetter, noChannels, routeOf } from '../instance/letter.ts';
import type { Store } from '../store/contract.ts';
import { lanesByName } from './call-lanes.ts';
import type { OnError } from './error-reporter.ts';
import { requireOptedIn } from './opt-outs.ts';

/** The next message of an instance on one route, which waits for the channel. */
export interface NextMessage {
  readonly instance: string;
  readonly route: string;
}

/** The ticket of the next message of an instance on its route. */
export function messageTicket(
  instance: string,
  contact: string | undefined,
  body: MessageLetter,
): Ticket {
  // JSON, because any string can be an id or a name.
  const key = JSON.stringify([instance, routeOf(body)]);
  return { key, group: contact ?? instance, priority: priorityOf(body) };
}

/** The author waits for a message by hand, and nobody waits for a reminder. */
function priorityOf({ role, isReminder }: MessageLetter): Priority {
  if (role === 'manual') return 'urgent';
  return isReminder ? 'batch' : 'interactive';
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

/** Has the messages of an instance. */
export interface MessageSource {
  /** The next message of a route; undefined when there is none that can be sent now. */
  takeNext(next: NextMessage): Promise<Delivery | undefined>;
  /** Ends the delivery of a message that was taken. */
  settle(delivery: Delivery, outcome: DeliveryOutcome): Promise<void>;
}

export interface DeliveryOptions extends Omit<LaneOptions, 'concurrency' | 'work' | 'onFailure'> {
  readonly channels: ReadonlyMap<string, Channel>;
  /** How many messages a channel gets at the same time. */
  readonly concurrencyOf: (channel: string) => number;
  /** Milliseconds after which an attempt without an answer counts as failed. */
  readonly deliveryTimeout: number;
  /** Loads an instance, and keeps it active during the work. */
  readonly use: (instance: string, work: (source: MessageSource) => Promise<void>) => Promise<void>;
  /** The instance could not be loaded. */
  readonly onFailure: (instance: string, error: unknown) => void;
  readonly store: Pick<Store, 'read' | 'ownership'>;
  readonly random: () => number;
  readonly onError: OnError;
}

export interface ChannelLaneOptions extends DeliveryOptions {
  /** Undefined when the host has no channels. */
  readonly name: string | undefined;
}

/** Finds the lane of a channel, in which messages wait for it. Null is the first channel of the host. */
export type ChannelLanes = (channel: string | null) => Lane;

export function channelLanesOf(options: DeliveryOptions): ChannelLanes {
  const laneOf = lanesByName(
    (name: string | undefined) => new ChannelLane({ ...options, name }).lane,
  );
  return (channel) => laneOf(channel ?? options.channels.keys().next().value);
}

/**
 * Owns the messages that wait for one channel, and transmits them. A failed message is retried with the same id, after a pause
 * that grows with its failures. In an outage only one message is tried from time to time, see `CircuitBreaker`; afterwards all
 * messages are ready. A message by hand is tried once, because its author waits for the answer.
 */
class ChannelLane {
  readonly lane: Lane;
  readonly #options: ChannelLaneOptions;
  /** Undefined when the host does not have it. */
  readonly #channel: Channel | undefined;
  readonly #breaker: CircuitBreaker;
  /** The failed attempts of the first message of a route, by the key of its ticket. */
  readonly #failures = new Map<string, Failures>();

  constructor(options: ChannelLaneOptions) {
    const { name = '', channels, concurrencyOf, use, onFailure, schedule, random } = options;
    this.#options = options;
    this.#channel = channels.get(name) ?? storeChannels.get(name);
    this.lane = new Lane({
      ...options,
      concurrency: concurrencyOf(name),
      work: (ticket, begin) =>
        use(readKey(ticket.key).instance, (source) => {
          begin();
          return this.#sendNext(ticket, source);
        }),
      onFailure: ({ key }, error) => onFailure(readKey(key).instance, error),
    });
    const onChange = (state: BreakerState) => this.#onBreaker(state);
    this.#breaker = new CircuitBreaker({ schedule, random, onChange });
  }

  #onBreaker(state: BreakerState): void {
    this.lane.limit({ closed: Infinity, open: 0, 'half-open': 1 }[state]);
    if (state === 'closed') this.lane.endDelays();
  }

  /** Gives the next message of a route to the channel, once, if there is one. */
  async #sendNext(ticket: Ticket, source: MessageSource): Promise<void> {
    const delivery = await source.takeNext(readKey(ticket.key));
    if (!delivery) return;
    const channel = this.#channel;
    if (!channel) return source.settle(delivery, this.#withoutChannel(delivery));
    const { schedule, deliveryTimeout: timeout } = this.#options;
    const late = () => new Error(`The channel has not answered for ${timeout} ms.`);
    const deadline = new Deadline(schedule, timeout, late);
    let outcome: DeliveryOutcome;
    try {
      await deadline.within(this.#requireAllowed(channel, delivery));
      const sent = channel.deliver(messageOf(delivery), { signal: deadline.signal });
      await deadline.within(sent);
      outcome = this.#onSent(ticket);
    } catch (error) {
      outcome = this.#onFailure(error, ticket, delivery);
    } finally {
      deadline.cancel();
    }
    await source.settle(delivery, outcome);
  }

  /**
   * A stalled host must not repeat what the next host has sent. A message that began before the loss may be sent twice, with the
   * same id, as after a crash.
   *
   * @throws RejectedError when the contact has opted out, StoreError `store/lost`
   */
  async #requireAllowed(channel: Channel, { address }: Delivery): Promise<void> {
    const { name = '', store } = this.#options;
    if (channel === storeChannels.get(name)) return;
    await requireOptedIn(store, name, channel, address);
    if (!store.ownership.isCertain()) await store.ownership.confirm();
  }

  #onSent(ticket: Ticket): DeliveryOutcome {
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
    this.lane.addAfter(pause, ticket);
  }
}

function messageOf({ instance, address, body }: Delivery): OutgoingMessage {
  const { message: id, role, text, at } = body;
  return { id, instance, contact: address, role, text, at };
}
