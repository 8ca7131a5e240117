import type { Conversations } from './conversations.ts';
import type { Requests } from './requests.ts';
import { hourMs } from './requests.ts';
import type { Workflows } from './workflows.ts';

/** The activities of a member of the crowd. Repeated entries are more likely. */
const activities = [
  'talk',
  'talk',
  'talk',
  'talk',
  'silence',
  'order',
  'heap',
  'review',
  'parcel',
] as const;

/** A small crowd: each member does one thing after another, with long pauses. */
export class Crowd {
  readonly #requests: Requests;
  readonly #conversations: Conversations;
  readonly #workflows: Workflows;
  #activities = 0;
  #isClosing = false;
  /** The activities that have not ended. */
  readonly running = new Set<string>();

  constructor(requests: Requests, conversations: Conversations, workflows: Workflows) {
    this.#requests = requests;
    this.#conversations = conversations;
    this.#workflows = workflows;
  }

  get activities(): number {
    return this.#activities;
  }

  /** Whether all activities have ended. */
  get isDone(): boolean {
    return this.#isClosing && this.running.size === 0;
  }

  /** Lets running activities end, and starts no new ones. */
  close(): void {
    this.#isClosing = true;
  }

  /** @param onError receives errors that callers should never get */
  begin(size: number, onError: (error: unknown) => void): void {
    for (let member = 0; member < size; member += 1) this.#live().catch(onError);
  }

  async #live(): Promise<void> {
    const { chance } = this.#requests;
    while (!this.#isClosing) {
      await this.#requests.pause(0, 24 * hourMs);
      if (this.#isClosing) return;
      this.#activities += 1;
      const activity = chance.of(activities);
      const name = `${activity} ${this.#activities}`;
      this.running.add(name);
      await this.#perform(activity, this.#activities);
      this.running.delete(name);
    }
  }

  #perform(activity: (typeof activities)[number], number: number): Promise<void> {
    switch (activity) {
      case 'talk':
        return this.#conversations.talk(number);
      case 'silence':
        return this.#conversations.staySilent(number);
      case 'order':
        return this.#workflows.order(number);
      case 'heap':
        return this.#workflows.heap(number);
      case 'review':
        return this.#workflows.review(number);
      case 'parcel':
        return this.#workflows.parcel(number);
    }
  }
}
