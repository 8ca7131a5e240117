import type { Answer, DecisionSummary, InstanceView, Routed } from '@dramaturg/host';
import type { Page } from '@dramaturg/host/store';
import { type Chance, orderInput } from '@dramaturg/testing';
import type { CommandBody } from './protocol.ts';
import { ProcessGoneError, type Victim } from './victim.ts';
import type { World } from './world.ts';

/** The acknowledgements that callers received. The store must contain all of them at the end. */
export interface Ledger {
  /** Conversations with their acknowledged messages, in order. */
  readonly chats: Map<string, string[]>;
  /** Conversations with a contact that never answers, and the number of reminders. */
  readonly silent: Map<string, number>;
  readonly jobs: Set<string>;
  readonly orders: Set<string>;
  readonly debates: Set<string>;
  /** Runs of many items without calls, with their lists. */
  readonly heaps: Map<string, readonly (readonly number[])[]>;
  /** Reviews, with the person who received the acknowledgement of each decision. */
  readonly reviews: Map<string, Map<string, string>>;
}

export interface CrowdOptions {
  /** The number of people at the same time. */
  readonly size: number;
  /** Whether people send a message before the previous one is acknowledged. */
  readonly sendsAhead: boolean;
  /** Errors of a host after which callers repeat the request. All other errors are complaints. */
  readonly mayFail: RegExp;
}

const activities = ['talk', 'keep silent', 'work', 'order', 'debate', 'heap', 'review'] as const;

/** Milliseconds between two attempts. */
const retryDelayMs = 8;

/**
 * People who write messages, and programs that start workflows. As any caller must, they repeat each unacknowledged
 * request with the same id. The crowd owns the acknowledgements that the audit compares with the store.
 */
export class Crowd {
  readonly ledger: Ledger = {
    chats: new Map(),
    silent: new Map(),
    jobs: new Set(),
    orders: new Set(),
    debates: new Set(),
    heaps: new Map(),
    reviews: new Map(),
  };
  /** Errors that callers should never have received. */
  readonly complaints: string[] = [];
  readonly #world: World;
  readonly #chance: Chance;
  readonly #options: CrowdOptions;
  #victim: Victim | undefined;
  #next = 0;
  #isClosing = false;
  #isAborted = false;

  constructor(world: World, chance: Chance, options: CrowdOptions) {
    this.#world = world;
    this.#chance = chance;
    this.#options = options;
  }

  /** Sets the process that receives the next requests. */
  connect(victim: Victim | undefined): void {
    this.#victim = victim;
  }

  /** Lets running activities finish, and starts no new ones. */
  close(): void {
    this.#isClosing = true;
  }

  /** Makes all waiting requests fail. */
  abort(): void {
    this.#isAborted = true;
  }

  /** Resolves when all activities have finished. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#runActivities()));
  }

  async #runActivities(): Promise<void> {
    while (!this.#isClosing) {
      const number = this.#next;
      this.#next += 1;
      try {
        await this.#perform(this.#chance.of([...activities, 'talk', 'review']), number);
      } catch (error) {
        this.complaints.push((error as Error).message);
        return;
      }
    }
  }

  async #perform(activity: (typeof activities)[number], number: number): Promise<void> {
    switch (activity) {
      case 'talk':
        return this.#runChats(number);
      case 'keep silent':
        return this.#staySilent(number);
      case 'work':
        return this.#runJob(number);
      case 'order':
        return this.#runOrder(number);
      case 'debate':
        return this.#runDebate(number);
      case 'heap':
        return this.#runHeap(number);
      case 'review':
        return this.#runReview(number);
    }
  }

  /** Plays a contact with two conversations. The second waits for the first. */
  async #runChats(number: number): Promise<void> {
    const contact = `contact ${number}`;
    const ids = [`chat-${number}-1`, `chat-${number}-2`];
    for (const id of ids) {
      await this.#start('chat', { id, contact });
      this.ledger.chats.set(id, []);
    }
    for (const id of ids) {
      await this.#until(async () => this.#world.hasGreeted(id));
      const count = this.#chance.between(1, 5);
      const sendsAhead = this.#options.sendsAhead && this.#chance.next() < 0.5;
      let sent: Promise<void> | undefined;
      for (let index = 1; index <= count; index += 1) {
        const text = index === count ? `${id} bye` : `${id} message ${index}`;
        this.ledger.chats.get(id)!.push(text);
        sent = this.#sendMessage({ contact, id: `${id}/m${index}`, text }, id, sent);
        if (sendsAhead && index < count) continue;
        await sent;
        if (this.#chance.next() < 0.5) await this.#pause(this.#chance.between(0, 20));
      }
      await this.#until(async () => (await this.#view(id)).ended);
    }
  }

  /** @param before the previous message, which is acknowledged before this one is repeated or counts as sent */
  async #sendMessage(
    message: { readonly contact: string; readonly id: string; readonly text: string },
    instance: string,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const { id } = message;
    let attempts = 0;
    await this.#until(async () => {
      attempts += 1;
      if (attempts > 1) await before;
      const routed = await this.#ask<Routed>({ do: 'receive', message });
      if (routed.instance === null) return false;
      // A repeated message that was stored is refused as "received before", which also acknowledges it. Its own instance refuses
      // it or, if that has ended, the next one.
      if (!routed.accepted && /received before/.test(routed.because)) return true;
      if (!routed.accepted) throw new Error(`${id} was refused: ${routed.because}`);
      if (routed.instance !== instance) throw new Error(`${id} was taken by ${routed.instance}`);
      return true;
    });
    await before;
  }

  async #staySilent(number: number): Promise<void> {
    const id = `silent-${number}`;
    const reminders = this.#chance.between(0, 2);
    await this.#start('chat', {
      id,
      contact: `nobody ${number}`,
      lifecycleInput: {
        heartbeat_config: {
          interval_ms: this.#chance.between(20, 120),
          max_followups: reminders,
        },
      },
    });
    this.ledger.silent.set(id, reminders);
    await this.#until(async () => (await this.#view(id)).ended);
  }

  async #runJob(number: number): Promise<void> {
    const id = `job-${number}`;
    await this.#start('job', { id, input: { wait: this.#chance.between(5, 120) } });
    this.ledger.jobs.add(id);
    await this.#until(async () => (await this.#view(id)).flow === 'asking');
    await this.#until(async () => {
      await this.#ask({ do: 'decide', id });
      return true;
    });
    await this.#until(async () => (await this.#view(id)).ended);
  }

  async #runOrder(number: number): Promise<void> {
    const id = `order-${number}`;
    await this.#start('order', { id, input: { input: orderInput } });
    this.ledger.orders.add(id);
    await this.#until(async () => (await this.#view(id)).ended);
  }

  async #runDebate(number: number): Promise<void> {
    const id = `debate-${number}`;
    await this.#start('debate', { id });
    this.ledger.debates.add(id);
    await this.#until(async () => (await this.#view(id)).ended);
  }

  async #runHeap(number: number): Promise<void> {
    const id = `heap-${number}`;
    const lists = Array.from({ length: this.#chance.between(1, 3) }, () =>
      Array.from({ length: this.#chance.between(1, 1_500) }, (_, index) => index),
    );
    const outer = lists.map((inner) => ({ inner }));
    await this.#start('heap', { id, input: { input: { outer } } });
    this.ledger.heaps.set(id, lists);
    await this.#until(async () => (await this.#view(id)).ended);
  }

  /** Makes all open decisions, some of them twice, until the review has ended. */
  async #runReview(number: number): Promise<void> {
    const id = `review-${number}`;
    await this.#start('review', { id, input: { input: { items: [1, 2] } } });
    const decisions = new Map<string, string>();
    this.ledger.reviews.set(id, decisions);
    let attempt = 0;
    await this.#until(async () => {
      const { items } = await this.#ask<Page<DecisionSummary>>({ do: 'decisions', instance: id });
      for (const { decision } of items) {
        attempt += 1;
        await this.#decide(decision, `person-${attempt}`, decisions);
        if (this.#chance.next() < 0.3) await this.#decide(decision, 'somebody-late', decisions);
      }
      return (await this.#view(id)).ended;
    });
  }

  async #decide(decision: string, by: string, decisions: Map<string, string>): Promise<void> {
    const answer = await this.#ask<Answer>({ do: 'decide on', decision, by });
    if (answer.accepted) {
      if (decisions.has(decision))
        throw new Error(`${decision} was taken from ${decisions.get(decision)} and from ${by}.`);
      decisions.set(decision, by);
      return;
    }
    // The decision was stored, but the process ended before it sent the acknowledgement.
    const earlier = /was made before: "approve", by (.+)\.$/.exec(answer.because)?.[1];
    if (earlier === undefined && !/any more|has ended|Nothing waits/.test(answer.because))
      throw new Error(`${decision} was refused: ${answer.because}`);
    if (earlier !== undefined && decisions.get(decision) !== earlier) {
      if (decisions.has(decision))
        throw new Error(
          `${decision} was made by ${decisions.get(decision)}, and then by ${earlier}.`,
        );
      decisions.set(decision, earlier);
    }
  }

  async #start(
    definition: string,
    options: Extract<CommandBody, { do: 'start' }>['options'],
  ): Promise<void> {
    await this.#until(async () => {
      try {
        await this.#ask({ do: 'start', definition, options });
      } catch (error) {
        // The instance was started, but the caller received no acknowledgement.
        if (!(error as Error).message.includes('host/exists')) throw error;
      }
      return true;
    });
  }

  #view(id: string): Promise<InstanceView> {
    return this.#ask({ do: 'state', id });
  }

  #ask<Value>(command: CommandBody): Promise<Value> {
    if (!this.#victim) throw new ProcessGoneError();
    return this.#victim.ask<Value>(command);
  }

  /** Repeats an attempt until it succeeds. If the process ends, waits for the next one. */
  async #until(attempt: () => Promise<boolean>): Promise<void> {
    for (;;) {
      if (this.#isAborted) throw new Error('The expected state was not reached in time.');
      try {
        if (await attempt()) return;
      } catch (error) {
        if (!(error instanceof ProcessGoneError) && !this.#mayFail(error)) throw error;
      }
      await this.#pause(retryDelayMs);
    }
  }

  #mayFail(error: unknown): boolean {
    return this.#options.mayFail.test((error as Error).message);
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
  }
}
