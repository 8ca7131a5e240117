import { type HostEvent, journalLine } from '../instance/event.ts';
import { ancestryOf } from '../instance/state.ts';
import { type MessageLetter, messageLetter, noChannels, routeOf } from '../instance/letter.ts';
import {
  type Delivery,
  type DeliveryOutcome,
  type Failures,
  type MessageSource,
  messageTicket,
  type NextMessage,
} from './channel-lane.ts';
import { cursorAt } from './event-cursor.ts';
import type { RunnerContext } from './runner-context.ts';

interface Message {
  readonly letter: string;
  readonly body: MessageLetter;
}

/**
 * Sends the stored messages of one instance, and stores the delivery receipts. Messages have a _route_: to the contact, or as
 * notices to one channel. Messages of one route are sent one after another: the first one has a ticket in the lane of its
 * channel, which takes it when the ticket gets a slot. While the messages only wait, the instance can be evicted.
 */
export class MessageSender implements MessageSource {
  readonly #runner: RunnerContext;
  /** The first stored message of each route. The outbox in memory may be a step ahead. */
  #next = new Map<string, Message>();
  /** The letters that their channels are processing, by route. */
  readonly #sending = new Map<string, string>();
  /** Letters that stay in the outbox, because this host does not have their channel. */
  readonly #kept = new Set<string>();

  constructor(runner: RunnerContext) {
    this.#runner = runner;
  }

  get isIdle(): boolean {
    return this.#sending.size === 0;
  }

  /** Whether the channel is processing the message now. */
  isSending(letter: string): boolean {
    return [...this.#sending.values()].includes(letter);
  }

  /** Queues the first message of each route. The instance equals the stored one. */
  apply(): void {
    const { instance, services } = this.#runner;
    const { id, contact, state } = instance;
    this.#next = new Map();
    for (const message of instance.messages) {
      const { body } = message;
      const route = routeOf(body);
      if (this.#kept.has(message.letter)) continue;
      if (!this.#next.has(route)) this.#next.set(route, message);
      // A message by hand is urgent when it is the next one.
      else if (body.role === 'manual') continue;
      if (this.#sending.has(route)) continue;
      // The contact waits for an answer that comes after a reminder, so the reminder gets the priority of the answer.
      services
        .channelLaneOf(body.to?.channel ?? state.channel)
        .add(messageTicket(id, contact, body));
    }
  }

  async takeNext({ route }: NextMessage): Promise<Delivery | undefined> {
    const { instance, isRunning } = this.#runner;
    const message = this.#next.get(route);
    if (!message || this.#sending.has(route) || !isRunning()) return undefined;
    const { letter, body } = message;
    this.#sending.set(route, letter);
    const address = body.to?.address ?? instance.state.address;
    return { instance: instance.id, address, body };
  }

  /** Stores the outcome. Fulfils also when the runner breaks. */
  async settle({ body }: Delivery, outcome: DeliveryOutcome): Promise<void> {
    const { instance, isRunning, onRest } = this.#runner;
    const route = routeOf(body);
    const letter = messageLetter(body.message);
    try {
      if (!isRunning()) return;
      if (outcome.type === 'sent' || (outcome.type === 'refused' && outcome.because === noChannels))
        instance.noteAccepted(letter);
      if (outcome.type === 'refused')
        await this.#decide(route, (each) => each.decideRejected(letter, outcome.because));
      else if (outcome.type === 'sent' && body.role === 'manual')
        await this.#decide(route, (each) => each.decideDelivered(letter));
      else if (outcome.type === 'sent') await this.#storeReceipt(letter, body, outcome.before);
      else if (outcome.type === 'kept') await this.#keep(route, letter);
    } catch {
      // The runner is broken. The next runner of the instance continues with the stored outbox.
    } finally {
      if (this.#sending.get(route) === letter) this.#sending.delete(route);
      onRest();
    }
  }

  /** The step applies its result, and so queues the next message of the route. */
  #decide(route: string, decide: Parameters<RunnerContext['step']>[0]): Promise<unknown> {
    return this.#runner.step((instance) => {
      this.#sending.delete(route);
      return decide(instance);
    });
  }

  /** After this, the channel never gets the message again. */
  #storeReceipt(letter: string, body: MessageLetter, before: Failures | undefined): Promise<void> {
    const { instance, services, betweenSteps, noteJournalLine } = this.#runner;
    return betweenSteps(async () => {
      const { store, schedule, publish } = services;
      const { id, state } = instance;
      const delivered: HostEvent = {
        instance: id,
        ...ancestryOf(state),
        at: schedule.now,
        source: 'host',
        event: {
          type: 'message.delivered',
          id: body.message,
          role: body.role,
          ...(before && { attempts: before.count + 1, failed: before.latest }),
        },
      };
      const stored = await store.acknowledge({ id, letter, journal: [journalLine(delivered)] });
      instance.acknowledged(letter);
      const cursor = stored && cursorAt(noteJournalLine(), delivered.at);
      publish(id, [cursor === undefined ? delivered : { ...delivered, cursor }]);
      this.#queueNext(routeOf(body));
    });
  }

  #keep(route: string, letter: string): Promise<void> {
    return this.#runner.betweenSteps(async () => {
      this.#kept.add(letter);
      this.#queueNext(route);
    });
  }

  #queueNext(route: string): void {
    this.#sending.delete(route);
    if (this.#runner.isRunning()) this.apply();
  }
}
