import type { EventObject, JsonObject } from '@dramaturg/compiler';
import type { InboxLimits } from '../limits/index.ts';
import { Backlog, busyRetryMs } from './backlog.ts';
import type { PreparedStart } from './instance-starter.ts';
import type { Routed } from './routed.ts';
import type { Serial } from './serial.ts';

/** A message that waits for its answer. */
export interface WaitingMessage {
  readonly event: EventObject;
  /** The conversation that the message starts when no instance holds the contact. */
  readonly start?: PreparedStart | undefined;
  readonly resolve: (routed: Routed) => void;
  readonly reject: (error: unknown) => void;
}

export interface MessageGroupsOptions {
  readonly inboxLimits: InboxLimits;
  /** The order of all work with a contact. */
  readonly serial: Serial;
  /** Routes the messages in the turn of their contact, and settles each. */
  readonly routeAll: (contact: string, messages: readonly WaitingMessage[]) => Promise<void>;
}

/** Messages of a contact that arrived one after another. */
interface Group {
  readonly messages: WaitingMessage[];
  readonly turn: Promise<void>;
}

/**
 * Owns the messages that wait for the queue of their contact. Messages that arrive one after another form a group, up to the next
 * start of an instance with the contact. A group is routed as a whole.
 */
export class MessageGroups {
  readonly #options: MessageGroupsOptions;
  readonly #groups = new Map<string, Group>();
  readonly #backlogs = new Map<string, Backlog>();

  constructor(options: MessageGroupsOptions) {
    this.#options = options;
  }

  /**
   * Enters the queue of the contact before it awaits anything.
   *
   * @param contact in its canonical form
   * @param start starts an instance with the message, when none holds the contact
   */
  async route(
    contact: string,
    event: JsonObject & EventObject,
    start?: PreparedStart,
  ): Promise<Routed> {
    const { inboxLimits, serial, routeAll } = this.#options;
    const backlog = this.#backlogs.get(contact) ?? new Backlog(inboxLimits);
    if (!backlog.add(event)) return busy();
    this.#backlogs.set(contact, backlog);
    try {
      return await new Promise((resolve, reject) => {
        const message: WaitingMessage = { event, start, resolve, reject };
        const last = this.#groups.get(contact);
        if (last && serial.isLast(contact, last.turn)) {
          last.messages.push(message);
          return;
        }
        const messages = [message];
        const turn = serial.run(contact, () => {
          if (this.#groups.get(contact)?.messages === messages) this.#groups.delete(contact);
          return routeAll(contact, messages);
        });
        this.#groups.set(contact, { messages, turn });
      });
    } finally {
      backlog.remove(event);
      if (backlog.isEmpty) this.#backlogs.delete(contact);
    }
  }
}

function busy(): Routed {
  const because = `Too many messages of the contact wait. Send it again in ${busyRetryMs / 1_000} s.`;
  return { instance: null, accepted: false, code: 'host/busy', because, retryAfterMs: busyRetryMs };
}
