import type { EventObject } from '@dramaturg/compiler';
import { contactKey } from '../contact.ts';
import type { Answer } from '../instance/event.ts';
import { refusalOfRepeated } from '../instance/refusal.ts';
import type { Store } from '../store/contract.ts';
import type { ActiveInstances } from './active-instances.ts';
import type { ContactQueue, ContactQueues } from './contact-queues.ts';
import { predecessorOf } from './predecessor.ts';

/** The answer to a message from outside. */
export type Routed =
  | ({ readonly instance: string } & Answer)
  /** No instance holds the contact: the message is not kept. */
  | {
      readonly instance: null;
      readonly accepted: false;
      readonly code: 'host/no-holder';
      /** A sentence for people. */
      readonly because: string;
    };

export interface MessageRouterOptions {
  readonly store: Store;
  readonly activeInstances: ActiveInstances;
  readonly contactQueues: ContactQueues;
  /** Throws when the host has stopped while the message was waiting. */
  readonly requireRunning: () => void;
}

/** Routes the messages of contacts to the instances that hold them. */
export class MessageRouter {
  readonly #options: MessageRouterOptions;

  constructor(options: MessageRouterOptions) {
    this.#options = options;
  }

  route(contact: string, event: EventObject): Promise<Routed> {
    return this.#options.contactQueues.exclusive(contactKey(contact), (queue) =>
      this.#routeInQueue(queue, event),
    );
  }

  async #routeInQueue(queue: ContactQueue, event: EventObject): Promise<Routed> {
    const { activeInstances, requireRunning } = this.#options;
    for (let last: string | undefined; ;) {
      const instance = await queue.holder();
      if (instance === undefined) return this.#answerWithoutHolder(queue.contact, event);
      requireRunning();
      const answer = await activeInstances.use(instance, (runner) => runner.enqueue(event));
      // The holder has ended just now. The next one in the queue may hold the contact already.
      const hasMissed = !answer.accepted && instance !== last && (await this.#hasEnded(instance));
      if (!hasMissed) return { instance, ...answer };
      last = instance;
    }
  }

  /** Refuses a message without a holder. A message that the last holder has received is a repetition. */
  async #answerWithoutHolder(contact: string, event: EventObject): Promise<Routed> {
    const { id } = event;
    const before =
      typeof id === 'string' ? await predecessorOf(contact, this.#options.store) : undefined;
    if (before?.seen.includes(String(id)))
      return { instance: before.id, ...refusalOfRepeated(event, before.state) };
    return {
      instance: null,
      accepted: false,
      code: 'host/no-holder',
      because: 'No instance holds the contact, so the message is not kept.',
    };
  }

  async #hasEnded(id: string): Promise<boolean> {
    return (await this.#options.store.read(id))?.ended === true;
  }
}
