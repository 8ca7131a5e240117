import { orderInput } from '@dramaturg/testing';
import type { Conversations } from './conversations.ts';
import { type Decided, hourMs, type Ledger, minuteMs, type Requests } from './requests.ts';

const parcelEvents = [
  { type: 'pack', leadsTo: 'PACKED' },
  { type: 'lose', leadsTo: 'LOST' },
  { type: 'find', leadsTo: 'PACKED' },
  { type: 'hand over', leadsTo: 'DELIVERED' },
] as const;

/** Lists of items: a step starts at most 1,024 items in all lists together. */
const heaped = { inner: Array.from({ length: 700 }, () => 0) };

/** Plays programs that start workflows, people who decide, and parcels that events move. */
export class Workflows {
  readonly #requests: Requests;
  readonly #ledger: Ledger;

  constructor(requests: Requests, ledger: Ledger) {
    this.#requests = requests;
    this.#ledger = ledger;
  }

  async order(number: number): Promise<void> {
    const id = `order-${number}`;
    this.#ledger.orders.add(id);
    await this.#requests.start('order', { id, input: { input: orderInput } });
    await this.#ended(id);
  }

  async heap(number: number): Promise<void> {
    const id = `heap-${number}`;
    this.#ledger.heaps.add(id);
    await this.#requests.start('heap', { id, input: { input: { outer: [heaped, heaped] } } });
    await this.#ended(id);
  }

  /** Makes all open decisions, some of them twice, until the review has ended. */
  async review(number: number): Promise<void> {
    const id = `review-${number}`;
    const made: Decided[] = [];
    this.#ledger.reviews.set(id, made);
    await this.#requests.start('review', { id, input: { input: {} } });
    for (let attempt = 1; ; attempt += 1) {
      const open = await this.#requests.until((host) => host.decisions({ instance: id }));
      for (const { decision } of open.items) {
        await this.#decide(decision, `person-${attempt}`, made);
        if (this.#requests.chance.next() < 0.3) await this.#decide(decision, 'somebody', made);
      }
      if ((await this.#requests.until((host) => host.get(id))).ended) return;
      await this.#requests.pause(minuteMs, 3 * hourMs);
    }
  }

  /** Plays a parcel. An event has no id, so its sender checks before a repetition whether the first attempt had an effect. */
  async parcel(number: number): Promise<void> {
    const id = `parcel-${number}`;
    const done: string[] = [];
    this.#ledger.parcels.set(id, done);
    await this.#requests.start('parcel', { id });
    for (const { type, leadsTo } of parcelEvents) {
      await this.#requests.pause(minuteMs, 2 * hourMs);
      for (;;) {
        const answer = await this.#requests.once((host) => host.send(id, { type }));
        if (answer?.accepted) break;
        // A replaced host may still show the state before an event that was accepted since.
        const { state, ended } = await this.#requests.until((host) => host.get(id), {
          mayBeFormer: false,
        });
        if (state === leadsTo) break;
        if (ended) return;
        await this.#requests.pause(1_000, 10 * minuteMs);
      }
      done.push(type);
    }
  }

  async #decide(decision: string, by: string, made: Decided[]): Promise<void> {
    const answer = await this.#requests.once((host) =>
      host.decide(decision, { decision: 'approve', by }),
    );
    if (answer?.accepted) made.push({ decision, by });
  }

  async #ended(id: string): Promise<void> {
    await this.#requests.untilTrue(
      async (host) => (await host.get(id)).ended,
      [minuteMs, 4 * hourMs],
    );
  }
}

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
