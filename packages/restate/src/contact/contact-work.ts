import { type Answer, HostError, type Routed } from '@dramaturg/host';
import type { Birth } from '@dramaturg/host/engine';
import {
  isUnknownInstance,
  messageRepeated,
  noHolder,
  priorInstanceTerminal,
  refusalOfRepeated,
  type Started,
} from '@dramaturg/host/engine';
import { type Outcome, outcomeOf, valueOf } from '../restate/outcome.ts';
import type { ContactLine } from './line.ts';
import type { LinePosition, LineStart, RouteOrder } from './messages.ts';

/** The requests of a contact's line to the objects of its instances. */
export interface LineInstances {
  /** @throws InputError; HostError `host/exists`, `host/message-refused` */
  readonly create: (
    start: LineStart & { birth: Birth },
    createdAt: number,
  ) => Promise<LinePosition>;
  /**
   * Fulfils when the effects of all events are stored.
   *
   * @throws HostError `host/unknown-instance`
   */
  readonly takeAll: (
    id: string,
    order: RouteOrder,
  ) => Promise<{ readonly answers: readonly Answer[]; readonly position: LinePosition }>;
  /** @returns undefined when the instance does not exist */
  readonly position: (id: string) => Promise<LinePosition | undefined>;
}

/** The messages that the contact has written. */
export interface ReceivedMessages {
  /** @returns the instance that has received the message */
  readonly receiver: (message: string) => Promise<string | null>;
  readonly note: (message: string, instance: string) => void;
}

type Event = RouteOrder['events'][number];

/** An event and its index in the order. */
interface Waiting {
  readonly event: Event;
  readonly index: number;
}

/**
 * Does the work of one invocation of a contact's object: starts, messages and call-ups of one contact run one after another, in
 * the order in which they arrive. It decides only by the line and the answers of instances, so that a repeated invocation does
 * the same.
 */
export class ContactWork {
  readonly #line: ContactLine;
  readonly #instances: LineInstances;
  readonly #received: ReceivedMessages;
  readonly #noteMember: (id: string) => void;

  /** @param noteMember stores that the instance is one of the contact */
  constructor(
    line: ContactLine,
    instances: LineInstances,
    received: ReceivedMessages,
    noteMember: (id: string) => void,
  ) {
    this.#line = line;
    this.#instances = instances;
    this.#received = received;
    this.#noteMember = noteMember;
  }

  /** @throws as `LineInstances.create` */
  async start(start: LineStart): Promise<Started> {
    const line = this.#line;
    await this.#refreshAll();
    const queued = line.isHeldBesides(start.birth.parent?.ancestors ?? []);
    const message = start.birth.message?.id;
    if (await this.#receiverOf(message)) throw messageRepeated(message);
    const birth = { ...start.birth, queued };
    const position = await this.#instances.create(
      { ...start, birth },
      line.nextCreatedAt(start.at),
    );
    line.add(position);
    this.#noteMember(position.id);
    if (message !== undefined) this.#received.note(message, position.id);
    return { id: position.id, state: position.status };
  }

  /** Routes messages to the instance that holds the contact, or starts one. */
  async route({ at, events, starts = [] }: RouteOrder): Promise<readonly Outcome<Routed>[]> {
    const routed: Outcome<Routed>[] = [];
    let waiting: readonly Waiting[] = [];
    for (const [index, event] of events.entries()) {
      const receiver = await this.#receiverOf(event['id']);
      if (!receiver) waiting = [...waiting, { event, index }];
      else
        routed[index] = {
          value: { instance: receiver.id, ...refusalOfRepeated(event, receiver.status) },
        };
    }
    for (let last: string | undefined; waiting.length > 0;) {
      const instance = await this.#holder(at);
      if (instance === undefined) {
        waiting = await this.#startFirst(waiting, starts, routed);
        continue;
      }
      waiting = await this.#offer(instance, at, waiting, instance === last, routed);
      last = instance;
    }
    return routed;
  }

  /** Calls up the next waiting instance, if an instance has released the contact. */
  async moved(position: LinePosition, at: number): Promise<void> {
    this.#line.update(position);
    if (this.#line.holder === undefined) await this.#callUpFirst(at);
  }

  /** Removes an erased instance. It had ended, so no other instance waits for its place. */
  async erased(id: string): Promise<void> {
    this.#line.remove(id);
  }

  /**
   * Offers events to the holder. If it has just ended, the missed events are offered once more to the next one.
   *
   * @returns the missed events
   */
  async #offer(
    instance: string,
    at: number,
    waiting: readonly Waiting[],
    isLast: boolean,
    routed: Outcome<Routed>[],
  ): Promise<readonly Waiting[]> {
    const answered = await this.#takeAll(instance, {
      at,
      events: waiting.map(({ event }) => event),
    });
    if (!answered) return waiting;
    const missed: Waiting[] = [];
    for (const [place, { event, index }] of waiting.entries()) {
      const answer = answered.answers[place]!;
      if (!answer.accepted && answered.position.ended && !isLast) missed.push({ event, index });
      else routed[index] = { value: { instance, ...answer } };
      const { id } = event;
      if (answer.accepted && typeof id === 'string') this.#received.note(id, instance);
    }
    return missed;
  }

  /**
   * Starts a conversation with the first message that may start one.
   *
   * @returns the messages after it, which may now have a holder
   */
  async #startFirst(
    waiting: readonly Waiting[],
    starts: NonNullable<RouteOrder['starts']>,
    routed: Outcome<Routed>[],
  ): Promise<readonly Waiting[]> {
    for (const [place, { index }] of waiting.entries()) {
      const start = starts[index];
      if (!start) {
        routed[index] = { value: noHolder };
        continue;
      }
      const started = await outcomeOf(async () => this.start(valueOf(start)));
      if ('error' in started) {
        routed[index] = started;
        continue;
      }
      const { id: instance, state } = started.value;
      routed[index] = { value: { instance, accepted: true, state } };
      return waiting.slice(place + 1);
    }
    return [];
  }

  /** The instance that has received a message; undefined for a new one, and when the instance was erased. */
  async #receiverOf(message: unknown): Promise<LinePosition | undefined> {
    if (typeof message !== 'string') return undefined;
    const instance = await this.#received.receiver(message);
    return instance === null ? undefined : this.#instances.position(instance);
  }

  /** The instance that holds the contact. If none does, the first waiting one is called up. */
  async #holder(at: number): Promise<string | undefined> {
    if (this.#line.holder !== undefined) return this.#line.holder;
    await this.#refreshAll();
    if (this.#line.holder === undefined) await this.#callUpFirst(at);
    return this.#line.holder;
  }

  async #callUpFirst(at: number): Promise<void> {
    const { firstWaiting } = this.#line;
    if (firstWaiting === undefined) return;
    await this.#takeAll(firstWaiting, { at, events: [{ type: priorInstanceTerminal }] });
  }

  /** @returns undefined when the instance was erased */
  async #takeAll(id: string, order: RouteOrder) {
    try {
      const answered = await this.#instances.takeAll(id, order);
      this.#line.update(answered.position);
      return answered;
    } catch (error) {
      if (!(error instanceof HostError) || !isUnknownInstance(error)) throw error;
      this.#line.remove(id);
      return undefined;
    }
  }

  /** Reports of instances may still be on their way. */
  async #refreshAll(): Promise<void> {
    for (const id of this.#line.ids) {
      const position = await this.#instances.position(id);
      if (position) this.#line.update(position);
      else this.#line.remove(id);
    }
  }
}
