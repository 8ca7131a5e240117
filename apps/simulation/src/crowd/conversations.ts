import { conversationNames } from '../world/definitions.ts';
import type { Messenger } from '../world/messenger.ts';
import { hourMs, type Ledger, minuteMs, type Requests, type Sent } from './requests.ts';

/** The number of messages after which a contact always says goodbye, so that all its conversations end. */
const messagesMax = 5;

/** Plays contacts that write and wait, and contacts that never answer. */
export class Conversations {
  readonly #requests: Requests;
  readonly #ledger: Ledger;
  readonly #messenger: Messenger;

  constructor(requests: Requests, ledger: Ledger, messenger: Messenger) {
    this.#requests = requests;
    this.#ledger = ledger;
    this.#messenger = messenger;
  }

  /** Plays a contact with one or two conversations. The second waits for the first. */
  async talk(number: number): Promise<void> {
    const { chance } = this.#requests;
    const contact = `contact ${number}`;
    const ids = Array.from(
      { length: chance.between(1, 2) },
      (_, index) => `talk-${number}-${index}`,
    );
    const sent: Sent[] = [];
    this.#ledger.messages.set(contact, sent);
    this.#ledger.conversations.set(contact, ids);
    for (const id of ids) await this.#requests.start(chance.of(conversationNames), { id, contact });
    await this.#greeted(ids[0]!);
    const isAnyLeft = async () => !(await this.#haveEnded(ids));
    while (await isAnyLeft()) {
      const burst = chance.next() < 0.3 ? chance.between(2, 4) : 1;
      const messages = Array.from({ length: burst }, () => this.#write(contact, sent));
      await Promise.all(messages.map((message) => this.#send(contact, ids, message)));
      await this.#requests.pause(0, chance.next() < 0.5 ? minuteMs : 6 * hourMs);
    }
    if (chance.next() < 0.2) await this.#erase(contact);
  }

  /** Plays a contact that never answers, until the host gives up. */
  async staySilent(number: number): Promise<void> {
    const { chance } = this.#requests;
    const id = `silent-${number}`;
    const reminders = chance.between(0, 2);
    const heartbeat = { interval_ms: chance.between(10, 600) * minuteMs, max_followups: reminders };
    this.#ledger.silent.set(id, reminders);
    await this.#requests.start('chat', {
      id,
      contact: `nobody ${number}`,
      lifecycleInput: { heartbeat_config: heartbeat },
    });
    await this.#requests.untilTrue(
      async (host) => (await host.get(id)).ended,
      [minuteMs, 4 * hourMs],
    );
  }

  /** Asks for the erasure of everything about a contact, until it is acknowledged. */
  async #erase(contact: string): Promise<void> {
    // From the first attempt on, some data may be gone.
    this.#ledger.conversations.delete(contact);
    await this.#requests.until((host) => host.erase({ contact }));
    this.#ledger.erased.add(contact);
  }

  #write(contact: string, sent: Sent[]): Sent {
    const number = sent.length + 1;
    const text = `${contact} says ${number}${number > messagesMax ? ' bye' : ''}`;
    const message: Sent = { id: `${contact}/${number}`, text, sentAt: this.#ledger.next() };
    sent.push(message);
    return message;
  }

  /** Sends a message until it is acknowledged, or until no conversation can receive it. */
  async #send(contact: string, ids: readonly string[], message: Sent): Promise<void> {
    const { id, text } = message;
    for (let attempt = 1; ; attempt += 1) {
      const routed = await this.#requests.once(async (host) => {
        const takenBy = { host, at: this.#ledger.next() };
        const answer = await host.receive({ contact, id, text });
        if (answer.accepted) message.takenBy = takenBy;
        return answer;
      });
      const { accepted = false, code = '' } = (routed ?? {}) as {
        accepted?: boolean;
        code?: string;
      };
      if (accepted || code === 'message/repeated') {
        message.acknowledgedAt ??= this.#ledger.next();
        // The channel may not get the answer, and then repeats the message.
        if (this.#requests.chance.next() < 0.9) return;
      } else if (routed !== undefined && (await this.#haveEnded(ids))) return;
      // Providers wait longer after each attempt.
      await this.#requests.pause(100, Math.min(attempt, 36) * 10 * minuteMs);
    }
  }

  async #haveEnded(ids: readonly string[]): Promise<boolean> {
    for (const id of ids)
      if (!(await this.#requests.until(async (host) => host.get(id))).ended) return false;
    return true;
  }

  /** Waits for the greeting, or for the end of the conversation. */
  async #greeted(id: string): Promise<void> {
    while (!this.#messenger.hasGreeted(id) && !(await this.#haveEnded([id])))
      await this.#requests.pause(1_000, 10 * minuteMs);
  }
}
