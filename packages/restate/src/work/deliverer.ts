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

export interface DelivererOptions {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly bounds: Bounds;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly activity: Activity;
  readonly onError: OnError;
}

type Answered = Pick<ReceiptOrder, 'because'>;

interface Waiting {
  readonly order: DeliveryOrder;
  readonly resolve: (answered: Answered) => void;
  readonly reject: (error: Error) => void;
}

/** Owns the messages that a process delivers: at most one for each route of an instance. */
export class Deliverer {
  readonly #deliveries: Deliveries;
  readonly #waiting = new Map<string, Waiting>();
  #isStopped = false;

  constructor({ bounds, ...options }: DelivererOptions) {
    this.#deliveries = new Deliveries({
      ...options,
      concurrencyOf: bounds.deliveryConcurrencyOf,
      deliveryTimeout: bounds.deliveryTimeout,
      send: async ({ instance, route }, begin, transmit) => {
        begin();
        const key = keyOf(instance, route);
        const waiting = this.#waiting.get(key);
        if (!waiting) return;
        const { address, body } = waiting.order;
        const outcome = await transmit({ instance, address, body });
        // It is in the lane again.
        if (outcome.type === 'failed' || this.#waiting.get(key) !== waiting) return;
        this.#waiting.delete(key);
        if (outcome.type === 'kept') waiting.reject(kept());
        else waiting.resolve(outcome.type === 'refused' ? { because: outcome.because } : {});
      },
    });
  }

  /** Fulfils when the channel has accepted or refused the message. Rejects when another process has to deliver it. */
  deliver(instance: string, order: DeliveryOrder): Promise<Answered> {
    if (this.#isStopped) return Promise.reject(kept());
    const { contact, channel, body } = order;
    const route = routeOf(body);
    return new Promise((resolve, reject) => {
      this.#waiting.set(keyOf(instance, route), { order, resolve, reject });
      this.#deliveries.request({ instance, contact, route, channel, priority: priorityOf(body) });
    });
  }

  /** Gives up a message that was withdrawn, unless the channel has it already. */
  withdraw(instance: string, letter: string): void {
    for (const [key, { order, resolve }] of this.#waiting) {
      if (order.letter !== letter || key !== keyOf(instance, routeOf(order.body))) continue;
      this.#waiting.delete(key);
      resolve({});
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.values()) reject(kept());
    this.#waiting.clear();
  }
}

function keyOf(instance: string, route: string): string {
  return JSON.stringify([instance, route]);
}

function kept(): Error {
  return new Error(
    'This process cannot deliver the message. Restate tries again, also in another one.',
  );
}
