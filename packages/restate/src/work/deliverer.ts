import type { Channel } from '@dramaturg/host';
import {
  type Activity,
  type Bounds,
  type ChannelLanes,
  channelLanesOf,
  type Delivery,
  type DeliveryOutcome,
  type MessageSource,
  messageTicket,
  type NextMessage,
  type OnError,
  routeOf,
  type Schedule,
} from '@dramaturg/host/engine';
import type { Store } from '@dramaturg/host';
import type { DeliveryOrder, ReceiptOrder } from '../instance/messages.ts';
import type { Arrival, OpenWork } from './port-caller.ts';

export interface DelivererOptions {
  readonly channels: ReadonlyMap<string, Channel>;
  /** Knows who has opted out. */
  readonly store: Pick<Store, 'read' | 'ownership'>;
  readonly bounds: Bounds;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly activity: Activity;
  readonly openWork: OpenWork;
  readonly onError: OnError;
}

type Answered = Pick<ReceiptOrder, 'because' | 'isKept'>;

interface Waiting extends Arrival {
  readonly instance: string;
  readonly order: DeliveryOrder;
  /** Set to false once the order was tried. */
  hasPlace: boolean;
  readonly withdrawn: AbortSignal;
  readonly resolve: (answered: Answered) => void;
  readonly reject: (error: Error) => void;
}

/** Delivers messages of a process: at most one at a time for each route of an instance. */
export class Deliverer implements MessageSource {
  readonly #laneOf: ChannelLanes;
  readonly #openWork: OpenWork;
  /** The number of messages that a channel gets at the same time. Null is the first channel. */
  readonly #placesOf: (channel: string | null) => number;
  readonly #waiting = new Map<string, Waiting>();
  /** The messages that channels have now. */
  readonly #sending = new Map<Delivery, Waiting>();
  #isStopped = false;

  constructor({ bounds, openWork, ...options }: DelivererOptions) {
    const [first = ''] = options.channels.keys();
    this.#openWork = openWork;
    this.#placesOf = (channel) => bounds.deliveryConcurrencyOf(channel ?? first);
    this.#laneOf = channelLanesOf({
      ...options,
      concurrencyOf: bounds.deliveryConcurrencyOf,
      deliveryTimeout: bounds.deliveryTimeout,
      startsPerTurn: Infinity,
      use: (_, work) => work(this),
      onFailure: (instance, error) =>
        options.onError(error, `delivering a message of ${JSON.stringify(instance)}`),
    });
  }

  async takeNext({ instance, route }: NextMessage): Promise<Delivery | undefined> {
    const key = keyOf(instance, route);
    const waiting = this.#waiting.get(key);
    if (!waiting) return undefined;
    const { order } = waiting;
    if (!(await this.#openWork.isOpen(instance, order, waiting))) this.#withdraw(waiting);
    if (this.#waiting.get(key) !== waiting) return undefined;
    // A lost attempt is still sending the message: its outcome is used for this one.
    if (Array.from(this.#sending.values()).some((other) => isSameMessage(other, waiting)))
      return undefined;
    const { address, body } = order;
    const delivery = { instance, address, body };
    this.#sending.set(delivery, waiting);
    return delivery;
  }

  async settle(delivery: Delivery, outcome: DeliveryOutcome): Promise<void> {
    const waiting = this.#sending.get(delivery)!;
    this.#sending.delete(delivery);
    waiting.hasPlace = false;
    if (outcome.type === 'failed') {
      // The message is in the lane again.
      if (waiting.withdrawn.aborted) this.#withdraw(waiting);
      return;
    }
    const key = keyOf(delivery.instance, routeOf(delivery.body));
    const latest = this.#waiting.get(key);
    if (!latest || !isSameMessage(latest, waiting)) return;
    this.#waiting.delete(key);
    if (outcome.type === 'kept') latest.resolve({ isKept: true });
    else latest.resolve(outcome.type === 'refused' ? { because: outcome.because } : {});
  }

  /** The instances whose messages a channel has now. */
  get instances(): readonly string[] {
    return Array.from(this.#sending.values(), ({ instance }) => instance);
  }

  /**
   * Fulfils when the channel has accepted or refused the message. Rejects when the process stops.
   *
   * @param withdrawn gives the message up. A channel that already has it may still deliver it, but is not called again
   */
  deliver(instance: string, order: DeliveryOrder, withdrawn: AbortSignal): Promise<Answered> {
    if (this.#isStopped) return Promise.reject(stopped());
    const { contact, channel, body } = order;
    return new Promise((resolve, reject) => {
      const receivedAt = performance.now();
      const hasPlace = this.#waiting.size < this.#placesOf(channel);
      const waiting: Waiting = {
        instance,
        order,
        receivedAt,
        hasPlace,
        withdrawn,
        resolve,
        reject,
      };
      this.#waiting.set(keyOf(instance, routeOf(body)), waiting);
      withdrawn.addEventListener('abort', () => this.#withdraw(waiting), { once: true });
      this.#laneOf(channel).add(messageTicket(instance, contact, body));
    });
  }

  #withdraw(waiting: Waiting): void {
    const key = keyOf(waiting.instance, routeOf(waiting.order.body));
    // The channel decides on a message that it has.
    const isSending = Array.from(this.#sending.values()).includes(waiting);
    if (isSending || this.#waiting.get(key) !== waiting) return;
    this.#waiting.delete(key);
    waiting.resolve({});
  }

  stop(): void {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.values()) reject(stopped());
    this.#waiting.clear();
  }
}

function isSameMessage(one: Waiting, other: Waiting): boolean {
  return one.instance === other.instance && one.order.letter === other.order.letter;
}

function keyOf(instance: string, route: string): string {
  return JSON.stringify([instance, route]);
}

function stopped(): Error {
  return new Error('The process stops. Restate has the message delivered by another one.');
}
