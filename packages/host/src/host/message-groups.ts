import type { EventObject } from '@dramaturg/compiler';
import type { InboxLimits } from '../limits/index.ts';
import { Backlog, busyRetryMs } from './backlog.ts';
import type { PreparedStart } from './instance-starter.ts';
import type { Routed } from './routed.ts';

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
  /**
   * Enters the queue of a contact immediately, and routes the messages when its turn has come.
   *
   * @param take closes the group and returns its messages, each of which has to be settled
   */
  readonly routeInTurn: (contact: string, take: () => readonly WaitingMessage[]) => Promise<void>;
  /** Whether nothing was queued after the given turn, which `routeInTurn` has returned. */
  readonly isLast: (contact: string, turn: Promise<void>) => boolean;
}

/** Messages of a contact that arrived one after another. */
interface Group {
  readonly messages: WaitingMessage[];
  turn?: Promise<void>;
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

  /** @param contact in its canonical form */
  async route(contact: string, event: EventObject, start?: PreparedStart): Promise<Routed> {
    const backlog = this.#backlogs.get(contact) ?? new Backlog(this.#options.inboxLimits);
    if (!backlog.add(event)) return busy();
    this.#backlogs.set(contact, backlog);
    try {
      return await new Promise((resolve, reject) =>
        this.#add(contact, { event, start, resolve, reject }),
      );
    } finally {
      backlog.remove(event);
      if (backlog.isEmpty) this.#backlogs.delete(contact);
    }
  }

  #add(contact: string, message: WaitingMessage): void {
    const { routeInTurn, isLast } = this.#options;
    const last = this.#groups.get(contact);
    if (last?.turn && isLast(contact, last.turn)) {
      last.messages.push(message);
      return;
    }
    const group: Group = { messages: [message] };
    group.turn = routeInTurn(contact, () => {
      if (this.#groups.get(contact) === group) this.#groups.delete(contact);
      return group.messages;
    });
    this.#groups.set(contact, group);
  }
}

function busy(): Routed {
  const because = `Too many messages of the contact wait. Send it again in ${busyRetryMs / 1_000} s.`;
  return { instance: null, accepted: false, code: 'host/busy', because, retryAfterMs: busyRetryMs };
}
