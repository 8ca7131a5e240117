import type { ErasureReceipt, Routed } from '@dramaturg/host';
import {
  type InboxLimits,
  MessageGroups,
  type PreparedStart,
  Serial,
  type Started,
  type WaitingMessage,
} from '@dramaturg/host/engine';
import type { ServiceNames } from '../names.ts';
import { type Ingress, type Outcome, outcomeOf, valueOf } from '../restate/ingress.ts';
import type { LineStart, RouteOrder } from '../instance/messages.ts';

export interface ContactSenderOptions {
  readonly ingress: Ingress;
  readonly names: ServiceNames;
  readonly inboxLimits: InboxLimits;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Prepares the conversation that a message may start. */
  readonly lineStartOf: (start: PreparedStart) => Promise<LineStart>;
  /** @throws HostError `host/stopped` */
  readonly requireRunning: () => void;
}

/**
 * Sends the starts and messages of one process to the objects of their contacts. Those of one contact arrive in the order of the
 * calls, one request after another. Waiting messages are sent together in the next request.
 */
export class ContactSender {
  readonly #options: ContactSenderOptions;
  readonly #serial = new Serial();
  readonly messages: MessageGroups;

  constructor(options: ContactSenderOptions) {
    this.#options = options;
    this.messages = new MessageGroups({
      inboxLimits: options.inboxLimits,
      serial: this.#serial,
      routeAll: (contact, messages) => this.#routeAll(contact, messages),
    });
  }

  /**
   * Puts an instance in the line of its contact. Enters the queue of the contact before it awaits anything.
   *
   * @param contact in its canonical form
   * @param load prepares the start, when it is its turn
   */
  start(contact: string, load: () => Promise<LineStart>): Promise<Started> {
    return this.#serial.run(contact, async () => {
      const start = await load();
      this.#options.requireRunning();
      return this.#call(contact, 'start', start);
    });
  }

  /**
   * Erases everything about a contact, in its turn.
   *
   * @param contact in its canonical form
   */
  erase(contact: string, running: 'refuse' | 'end'): Promise<ErasureReceipt> {
    return this.#serial.run(contact, () => this.#call(contact, 'erase', running));
  }

  /** Sends messages together, and settles each one. */
  async #routeAll(contact: string, messages: readonly WaitingMessage[]): Promise<void> {
    try {
      this.#options.requireRunning();
      const events = messages.map(({ event }) => event as RouteOrder['events'][number]);
      const { now, lineStartOf } = this.#options;
      const starts: (Outcome<LineStart> | null)[] = [];
      for (const { start } of messages)
        starts.push(start ? await outcomeOf(() => lineStartOf(start)) : null);
      const hasStarts = starts.some((start) => start !== null);
      const order: RouteOrder = { at: now(), events, ...(hasStarts ? { starts } : {}) };
      const routed = await this.#call<readonly Outcome<Routed>[]>(contact, 'route', order);
      for (const [index, { resolve, reject }] of messages.entries()) {
        try {
          resolve(valueOf(routed[index]!));
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of messages) reject(error);
    }
  }

  #call<Value>(contact: string, handler: string, parameter: unknown): Promise<Value> {
    const { ingress, names } = this.#options;
    return ingress.call({ service: names.contact, key: contact, handler }, parameter);
  }
}
