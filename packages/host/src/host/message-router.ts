import { refusalOfRepeated } from '../instance/refusal.ts';
import type { ActiveInstances } from './active-instances.ts';
import type { ContactQueue, ContactQueues } from './contact-queues.ts';
import type { EarlierMessages } from './earlier-messages.ts';
import type { PreparedStart, Started } from './instance-starter.ts';
import type { WaitingMessage } from './message-groups.ts';
import { noHolder } from './routed.ts';

export interface MessageRouterOptions {
  readonly earlierMessages: EarlierMessages;
  readonly activeInstances: ActiveInstances;
  readonly contactQueues: ContactQueues;
  /** Starts an instance during exclusive work with the queue of its contact. */
  readonly startIn: (queue: ContactQueue, start: PreparedStart) => Promise<Started>;
  /** Throws when the host has stopped while the message was waiting. */
  readonly requireRunning: () => void;
}

/** Routes the messages of contacts to the instances that hold them, in order of arrival. */
export class MessageRouter {
  readonly #options: MessageRouterOptions;

  constructor(options: MessageRouterOptions) {
    this.#options = options;
  }

  /** Routes messages in the turn of their contact, and settles each. */
  async routeAll(contact: string, messages: readonly WaitingMessage[]): Promise<void> {
    const queue = this.#options.contactQueues.queueOf(contact);
    let waiting = messages;
    try {
      for (let last: string | undefined; waiting.length > 0;) {
        const instance = await queue.holder();
        waiting = await this.#answerRepeated(contact, waiting, instance);
        if (waiting.length === 0) return;
        if (instance === undefined) {
          waiting = await this.#answerWithoutHolder(queue, waiting);
          continue;
        }
        this.#options.requireRunning();
        // A holder that has ended just now does not get the rest. The next instance in the queue may already hold the contact.
        waiting = await this.#offer(instance, waiting, instance !== last);
        last = instance;
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  /** Answers messages that an earlier instance of the contact has received. @returns the others */
  async #answerRepeated(
    contact: string,
    messages: readonly WaitingMessage[],
    holder: string | undefined,
  ): Promise<readonly WaitingMessage[]> {
    const ids = messages.map(({ event }) => event['id']);
    const receivers = await this.#options.earlierMessages.receiversOf(contact, ids, holder);
    return messages.filter(({ event, resolve }) => {
      const receiver = receivers.get(event['id']);
      if (receiver) resolve({ instance: receiver.id, ...refusalOfRepeated(event, receiver.state) });
      return !receiver;
    });
  }

  /** @returns the messages that the instance did not get because it has ended, if another instance may get them */
  #offer(
    instance: string,
    messages: readonly WaitingMessage[],
    mayMiss: boolean,
  ): Promise<readonly WaitingMessage[]> {
    return this.#options.activeInstances.use(instance, async (runner) => {
      const offered = messages.map(async (message) => {
        try {
          const answer = await runner.receive(message.event);
          if (!answer.accepted && mayMiss && runner.stored.ended) return message;
          message.resolve({ instance, ...answer });
        } catch (error) {
          message.reject(error);
        }
        return [];
      });
      return (await Promise.all(offered)).flat();
    });
  }

  /**
   * Handles messages without a holder. A message that may start an instance starts it, and other messages are refused.
   *
   * @returns the messages after the start, which may have a holder now
   */
  async #answerWithoutHolder(
    queue: ContactQueue,
    messages: readonly WaitingMessage[],
  ): Promise<readonly WaitingMessage[]> {
    const { requireRunning, startIn } = this.#options;
    for (const [index, { start, resolve, reject }] of messages.entries()) {
      if (!start) resolve(noHolder);
      else {
        try {
          requireRunning();
          const { id: instance, state } = await startIn(queue, start);
          resolve({ instance, accepted: true, state });
          return messages.slice(index + 1);
        } catch (error) {
          reject(error);
        }
      }
    }
    return [];
  }
}
