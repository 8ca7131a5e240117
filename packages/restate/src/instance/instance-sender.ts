import type { EventObject, JsonObject } from '@dramaturg/compiler';
import type { Answer } from '@dramaturg/host';
import { Backlog, type InboxLimits, Serial, tooManyEvents } from '@dramaturg/host/engine';
import type { ServiceNames } from '../names.ts';
import type { Ingress } from '../restate/ingress.ts';
import type { Answered, EventOrder, LinePosition } from './messages.ts';

export interface InstanceSenderOptions {
  readonly ingress: Ingress;
  readonly names: ServiceNames;
  readonly inboxLimits: InboxLimits;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/**
 * Sends events of one process to the objects of instances. Those for one instance arrive in the order of the calls, one request
 * after another.
 */
export class InstanceSender {
  readonly #options: InstanceSenderOptions;
  readonly #serial = new Serial();
  readonly #backlogs = new Map<string, Backlog>();

  constructor(options: InstanceSenderOptions) {
    this.#options = options;
  }

  /** @throws HostError `host/unknown-instance`, `host/bad-request` */
  async send(id: string, event: JsonObject & EventObject): Promise<Answer> {
    const backlog = this.#backlogs.get(id) ?? new Backlog(this.#options.inboxLimits);
    if (!backlog.add(event)) return tooManyEvents(await this.#stateOf(id));
    this.#backlogs.set(id, backlog);
    try {
      const { ingress, now } = this.#options;
      return await this.#serial.run(id, async () => {
        const order: EventOrder = { at: now(), event, isOutside: true };
        return (await ingress.call<Answered>(this.#target(id, 'take'), order)).answer;
      });
    } finally {
      backlog.remove(event);
      if (backlog.isEmpty) this.#backlogs.delete(id);
    }
  }

  async #stateOf(id: string): Promise<string> {
    const { ingress } = this.#options;
    const position = await ingress.call<LinePosition | null>(this.#target(id, 'position'), null);
    return position?.status ?? '';
  }

  #target(key: string, handler: string) {
    return { service: this.#options.names.instance, key, handler };
  }
}
