import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Chance } from '@dramaturg/testing';
import { messageText } from '../host/stage.ts';

export interface ContactsOptions {
  readonly contacts: number;
  /** Mean milliseconds between the acknowledgement of a message and the next message. */
  readonly thinkMs: number;
  readonly seed: number;
  /** Sends a message again until it is acknowledged. Without it, a message without an acknowledgement is an error. */
  readonly repeats?: boolean;
}

/** Contacts that write to a service over HTTP, each with pauses between messages. */
export class Contacts {
  /** Milliseconds until the acknowledgement of each message. */
  readonly times: number[] = [];
  /** Ids of acknowledged messages, by contact. */
  readonly acknowledged = new Map<string, string[]>();
  /** The number of errors, by message. */
  readonly errors = new Map<string, number>();
  /** The number of the first message. */
  firstTurn = 1;
  readonly #url: URL;
  readonly #options: ContactsOptions;
  readonly #chance: Chance;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #leaving = new AbortController();

  constructor(url: string, options: ContactsOptions) {
    this.#url = new URL('/messages', url);
    this.#options = options;
    this.#chance = new Chance(options.seed);
  }

  /** Sends messages until `stop`. Resolves when the last message is acknowledged. */
  async run(): Promise<void> {
    const { contacts } = this.#options;
    await Promise.all(
      Array.from({ length: contacts }, (_, index) => this.#write(contactOf(index))),
    );
    this.#agent.destroy();
  }

  stop(): void {
    this.#leaving.abort();
  }

  async #write(contact: string): Promise<void> {
    const { thinkMs } = this.#options;
    const { signal } = this.#leaving;
    const acknowledged: string[] = [];
    this.acknowledged.set(contact, acknowledged);
    // The first messages are spread over one pause.
    let wait = this.#chance.next() * thinkMs;
    for (let turn = this.firstTurn; ; turn += 1) {
      await pause(wait, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const id = `m-${turn}`;
      const wasAcknowledged = await this.#deliver(contact, id, turn);
      if (wasAcknowledged) acknowledged.push(id);
      // Exponential: arrivals are independent of each other.
      wait = -thinkMs * Math.log(1 - this.#chance.next());
    }
  }

  async #deliver(contact: string, id: string, turn: number): Promise<boolean> {
    for (;;) {
      if (await this.#send(contact, id, turn)) return true;
      if (this.#options.repeats !== true) return false;
      await pause(20);
    }
  }

  async #send(contact: string, id: string, turn: number): Promise<boolean> {
    const orStart = { definition: 'chat', id: contact };
    const body = JSON.stringify({ contact, id, text: messageText(turn), orStart });
    const sentAt = performance.now();
    try {
      const sent = request(this.#url, {
        method: 'POST',
        agent: this.#agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      });
      sent.end(body);
      const [response] = await once(sent, 'response');
      const answer = (await json(response)) as { readonly code?: string };
      if (response.statusCode === 200) {
        this.times.push(performance.now() - sentAt);
        return true;
      }
      this.#count(`${response.statusCode} ${answer.code}`);
    } catch (error) {
      this.#count((error as NodeJS.ErrnoException).code ?? String(error));
    }
    return false;
  }

  #count(error: string): void {
    this.errors.set(error, (this.errors.get(error) ?? 0) + 1);
  }
}

/** The id of the contact with a number, and of its instance. */
export function contactOf(index: number): string {
  return `contact-${index}`;
}
