import type { Channel } from '@dramaturg/host';
import {
  type Activity,
  type Bounds,
  Deliveries,
  type OnError,
  priorityOf,
  routeOf,
  type Schedule,
} from '@dramaturg/host/engine';
import type { DeliveryOrder, ReceiptOrder } from '../instance/messages.ts';
import type { Arrival, OpenWork } from './port-caller.ts';

export interface DelivererOptions {
  readonly channels: ReadonlyMap<string, Channel>;
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
export class Deliverer {
  readonly #deliveries: Deliveries;
  /** The number of messages that a channel gets at the same time. Null is the first channel. */
  readonly #placesOf: (channel: string | null) => number;
  readonly #waiting = new Map<string, Waiting>();
  /** The messages that channels have now. */
  readonly #sending = new Set<Waiting>();
  #isStopped = false;

  constructor({ bounds, openWork, ...options }: DelivererOptions) {
    const [first = ''] = options.channels.keys();
    this.#placesOf = (channel) => bounds.deliveryConcurrencyOf(channel ?? first);
    this.#deliveries = new Deliveries({
      ...options,
      concurrencyOf: bounds.deliveryConcurrencyOf,
      deliveryTimeout: bounds.deliveryTimeout,
      startsPerTurn: Infinity,
      send: async ({ instance, route }, begin, transmit) => {
        begin();
        const key = keyOf(instance, route);
        const waiting = this.#waiting.get(key);
        if (!waiting) return;
        const { order } = waiting;
        if (!(await openWork.isOpen(instance, order, waiting))) this.#withdraw(waiting);
        if (this.#waiting.get(key) !== waiting) return;
        // A lost attempt is still sending the message: its outcome is used for this one.
        if (Array.from(this.#sending).some((other) => isSameMessage(other, waiting))) return;
        const { address, body } = order;
        this.#sending.add(waiting);
        const outcome = await transmit({ instance, address, body });
        this.#sending.delete(waiting);
        waiting.hasPlace = false;
        if (outcome.type === 'failed') {
          // The message is in the lane again.
          if (waiting.withdrawn.aborted) this.#withdraw(waiting);
          return;
        }
        const latest = this.#waiting.get(key);
        if (!latest || !isSameMessage(latest, waiting)) return;
        this.#waiting.delete(key);
        if (outcome.type === 'kept') latest.resolve({ isKept: true });
        else latest.resolve(outcome.type === 'refused' ? { because: outcome.because } : {});
      },
    });
  }

  /** The instances whose messages a channel has now. */
  get instances(): readonly string[] {
    return Array.from(this.#sending, ({ instance }) => instance);
  }

  /**
   * Fulfils when the channel has accepted or refused the message. Rejects when the process stops.
   *
   * @param withdrawn gives the message up. A channel that already has it may still deliver it, but is not called again
   */
  deliver(instance: string, order: DeliveryOrder, withdrawn: AbortSignal): Promise<Answered> {
    if (this.#isStopped) return Promise.reject(stopped());
    const { contact, channel, body } = order;
    const route = routeOf(body);
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
      this.#waiting.set(keyOf(instance, route), waiting);
      withdrawn.addEventListener('abort', () => this.#withdraw(waiting), { once: true });
      this.#deliveries.request({ instance, contact, route, channel, priority: priorityOf(body) });
    });
  }

  #withdraw(waiting: Waiting): void {
    const key = keyOf(waiting.instance, routeOf(waiting.order.body));
    // The channel decides on a message that it has.
    if (this.#sending.has(waiting) || this.#waiting.get(key) !== waiting) return;
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
