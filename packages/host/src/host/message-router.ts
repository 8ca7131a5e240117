import type { EventObject } from '@dramaturg/compiler';
import { contactKey } from '../contact.ts';
import type { Answer } from '../instance/event.ts';
import { refusalOfRepeated } from '../instance/refusal.ts';
import type { InboxLimits } from '../limits/index.ts';
import type { Store } from '../store/contract.ts';
import type { ActiveInstances } from './active-instances.ts';
import { Backlog, busyRetryMs } from './backlog.ts';
import type { ContactQueue, ContactQueues } from './contact-queues.ts';
import { predecessorOf } from './predecessor.ts';

/** The answer to a message from outside. */
export type Routed =
  | ({ readonly instance: string } & Answer)
  /** The message is not kept: no instance holds the contact, or too many messages of the contact wait. */
  | {
      readonly instance: null;
      readonly accepted: false;
      readonly code: 'host/no-holder' | 'host/busy';
      /** A sentence for people. */
      readonly because: string;
      /** When to send the message again, in milliseconds from now. */
      readonly retryAfterMs?: number | undefined;
    };

export interface MessageRouterOptions {
  readonly store: Store;
  readonly activeInstances: ActiveInstances;
  readonly contactQueues: ContactQueues;
  readonly inboxLimits: InboxLimits;
  /** Throws when the host has stopped while the message was waiting. */
  readonly requireRunning: () => void;
}

/** A message that waits for its answer. */
interface Waiting {
  readonly event: EventObject;
  readonly resolve: (routed: Routed) => void;
  readonly reject: (error: unknown) => void;
}

/** Messages of a contact that arrived one after another. They are routed together. */
interface Group {
  readonly messages: Waiting[];
  turn?: Promise<void>;
}

/**
 * Routes the messages of contacts to the instances that hold them, in order of arrival. Messages that wait for the queue of
 * their contact form a group, up to the next start of an instance with the contact.
 */
export class MessageRouter {
  readonly #options: MessageRouterOptions;
  readonly #groups = new Map<string, Group>();
  readonly #backlogs = new Map<string, Backlog>();

  constructor(options: MessageRouterOptions) {
    this.#options = options;
  }

  async route(given: string, event: EventObject): Promise<Routed> {
    const contact = contactKey(given);
    const backlog = this.#backlogs.get(contact) ?? new Backlog(this.#options.inboxLimits);
    if (!backlog.add(event)) return busy();
    this.#backlogs.set(contact, backlog);
    try {
      return await new Promise((resolve, reject) =>
        this.#queue(contact, { event, resolve, reject }),
      );
    } finally {
      backlog.remove(event);
      if (backlog.isEmpty) this.#backlogs.delete(contact);
    }
  }

  #queue(contact: string, message: Waiting): void {
    const { contactQueues } = this.#options;
    const last = this.#groups.get(contact);
    if (last?.turn && contactQueues.isLast(contact, last.turn)) {
      last.messages.push(message);
      return;
    }
    const group: Group = { messages: [message] };
    group.turn = contactQueues.exclusive(contact, async (queue) => {
      if (this.#groups.get(contact) === group) this.#groups.delete(contact);
      await this.#routeAll(queue, group.messages);
    });
    this.#groups.set(contact, group);
  }

  /** Settles each message. */
  async #routeAll(queue: ContactQueue, messages: readonly Waiting[]): Promise<void> {
    let waiting = messages;
    try {
      for (let last: string | undefined; waiting.length > 0;) {
        const instance = await queue.holder();
        if (instance === undefined) return await this.#answerWithoutHolder(queue.contact, waiting);
        this.#options.requireRunning();
        // A holder that has ended just now misses the rest. The next one in the queue may hold the contact already.
        waiting = await this.#offer(instance, waiting, instance !== last);
        last = instance;
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  /** @returns the messages that the instance has missed because it has ended, if they may be offered to another one */
  #offer(
    instance: string,
    messages: readonly Waiting[],
    mayMiss: boolean,
  ): Promise<readonly Waiting[]> {
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

  /** Refuses messages without a holder. A message that the last holder has received is a repetition. */
  async #answerWithoutHolder(contact: string, messages: readonly Waiting[]): Promise<void> {
    const hasIds = messages.some(({ event }) => typeof event['id'] === 'string');
    const before = hasIds ? await predecessorOf(contact, this.#options.store) : undefined;
    const seen = new Set(before?.seen);
    for (const { event, resolve } of messages) {
      if (before && seen.has(String(event['id'])))
        resolve({ instance: before.id, ...refusalOfRepeated(event, before.state) });
      else resolve(noHolder);
    }
  }
}

const noHolder: Routed = {
  instance: null,
  accepted: false,
  code: 'host/no-holder',
  because: 'No instance holds the contact, so the message is not kept.',
};

function busy(): Routed {
  const because = `Too many messages of the contact wait. Send it again in ${busyRetryMs / 1_000} s.`;
  return { instance: null, accepted: false, code: 'host/busy', because, retryAfterMs: busyRetryMs };
}
