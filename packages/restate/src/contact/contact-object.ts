import { type Answer, type EraseOptions, type ErasureReceipt, type Routed } from '@dramaturg/host';
import {
  type Birth,
  unlessErased,
  messageRepeated,
  noHolder,
  priorInstanceTerminal,
  refusalOfRepeated,
  type Started,
} from '@dramaturg/host/engine';
import {
  handlers,
  object,
  type ObjectContext,
  type ObjectSharedContext,
  serde,
  type Serde,
} from '@restatedev/restate-sdk';
import { nothingRetained, type ServiceNames } from '../names.ts';
import { type Outcome, outcomeOf, valueOf } from '../restate/ingress.ts';
import type { LinePosition, LineStart, RouteOrder } from '../instance/messages.ts';

/** The stored line of a contact. */
interface StoredLine {
  /** Instances that have not ended, in order of creation. */
  readonly positions: readonly LinePosition[];
}

/** The instances of a contact that have not ended, in order of creation. Owns what the contact's object stores. */
export class ContactLine {
  #positions: readonly LinePosition[];

  constructor({ positions }: StoredLine = { positions: [] }) {
    this.#positions = positions;
  }

  get stored(): StoredLine {
    return { positions: this.#positions };
  }

  get ids(): readonly string[] {
    return this.#positions.map(({ id }) => id);
  }

  /** The youngest instance that holds the contact: a child is younger than its parent, which lends it the contact. */
  get holder(): string | undefined {
    return this.#positions.findLast(({ holds }) => holds)?.id;
  }

  /** Whether another instance than these holds the contact. */
  isHeldBesides(ids: readonly string[]): boolean {
    return this.#positions.some(({ id, holds }) => holds && !ids.includes(id));
  }

  get firstWaiting(): string | undefined {
    return this.#positions.find(({ waits }) => waits)?.id;
  }

  /** The time of creation of the next instance: strictly increasing, even within one millisecond and if clocks differ. */
  nextCreatedAt(now: number): number {
    return Math.max(now, (this.#positions.at(-1)?.createdAt ?? -Infinity) + 0.001);
  }

  add(position: LinePosition): void {
    this.#positions = [...this.#positions, position];
    this.update(position);
  }

  /** Stores the new position of an instance. A position that is older than the known one changes nothing. */
  update(position: LinePosition): void {
    const known = this.#positions.find(({ id }) => id === position.id);
    if (!known || known.revision > position.revision) return;
    if (position.ended) this.remove(position.id);
    else this.#positions = this.#positions.map((each) => (each === known ? position : each));
  }

  get isEmpty(): boolean {
    return this.#positions.length === 0;
  }

  /** Removes an instance that has ended or was erased. */
  remove(id: string): void {
    this.#positions = this.#positions.filter((each) => each.id !== id);
  }
}

const lineKey = 'line';

/** State keys with one entry for each instance, so that a start writes a constant amount. */
const memberPrefix = 'member/';

/** State keys with one entry for each message with an id: the instance that received it. */
const messagePrefix = 'message/';

/** The record of a copy of an instance of the contact. Times are milliseconds since 1970 UTC. */
export interface CopyLink {
  readonly original: string;
  readonly copy: string;
  readonly createdAt: number;
}

/** Deletes instances and what belongs to them. Its work may be repeated. */
export interface ContactEraser {
  /** @throws InstancesRunningError; HostError `host/cannot-erase` */
  readonly erase: (
    contact: string,
    running: NonNullable<EraseOptions['running']>,
  ) => Promise<ErasureReceipt>;
  /** @throws HostError `host/unknown-instance` when the original no longer exists */
  readonly link: (contact: string, link: CopyLink) => Promise<void>;
}

/**
 * The object of a contact: the line of its instances. Key: the contact in its canonical form. Restate runs one handler of an
 * object at a time, in the order of the calls.
 *
 * @param eraser erases instances; its work may be repeated
 */
export function contactObject(names: ServiceNames, eraser: ContactEraser) {
  return object({
    name: names.contact,
    handlers: {
      start: (context: ObjectContext, start: LineStart): Promise<Outcome<Started>> =>
        withLine(names, context, (work) => work.start(start)),
      route: (
        context: ObjectContext,
        order: RouteOrder,
      ): Promise<Outcome<readonly Outcome<Routed>[]>> =>
        withLine(names, context, (work) => work.route(order)),
      /** An instance has moved in the line, or left it. */
      moved: (context: ObjectContext, position: LinePosition): Promise<Outcome<void>> =>
        withLine(names, context, (work) => work.moved(position, position.updatedAt)),
      /** An instance of the contact was erased. */
      erased: async (
        context: ObjectContext,
        { id }: { readonly id: string },
      ): Promise<Outcome<void>> => {
        context.clear(memberPrefix + id);
        for (const key of await context.stateKeys())
          if (key.startsWith(messagePrefix) && (await context.get(key)) === id) context.clear(key);
        return withLine(names, context, (work) => work.erased(id));
      },
      /** The ids of all instances of the contact, including those that have ended. */
      members: handlers.object.shared(
        async (context: ObjectSharedContext): Promise<Outcome<readonly string[]>> => {
          const keys = await context.stateKeys();
          const members = keys.filter((key) => key.startsWith(memberPrefix));
          return { value: members.map((key) => key.slice(memberPrefix.length)) };
        },
      ),
      /** Stores the record that leads from the contact to a copy of one of its instances. */
      link: (context: ObjectContext, link: CopyLink): Promise<Outcome<void>> =>
        context.run('link', () => outcomeOf(() => eraser.link(context.key, link))),
      erase: handlers.object.exclusive(
        { inactivityTimeout: { hours: 1 } },
        async (
          context: ObjectContext,
          running: NonNullable<EraseOptions['running']>,
        ): Promise<Outcome<ErasureReceipt>> => {
          const outcome = await context.run('erase', () =>
            outcomeOf(() => eraser.erase(context.key, running)),
          );
          if ('value' in outcome) context.clearAll();
          return outcome;
        },
      ),
    },
    options: { enableLazyState: true, ...nothingRetained },
  });
}

async function withLine<Value>(
  names: ServiceNames,
  context: ObjectContext,
  work: (work: ContactWork) => Promise<Value>,
): Promise<Outcome<Value>> {
  const line = new ContactLine((await context.get<StoredLine>(lineKey)) ?? undefined);
  const noteMember = (id: string) => context.set(memberPrefix + id, true);
  const received: ReceivedMessages = {
    receiver: (message) => context.get<string>(messagePrefix + message),
    note: (message, instance) => context.set(messagePrefix + message, instance),
  };
  const outcome = await outcomeOf(() =>
    work(new ContactWork(line, instancesOf(names, context), received, noteMember)),
  );
  if (line.isEmpty) context.clear(lineKey);
  else context.set(lineKey, line.stored);
  return outcome;
}

function instancesOf({ instance: service }: ServiceNames, context: ObjectContext): LineInstances {
  const call = async <Value>(key: string, method: string, parameter: unknown): Promise<Value> =>
    valueOf(
      await context.genericCall<unknown, Outcome<Value>>({
        service,
        method,
        key,
        parameter,
        inputSerde: serde.json as Serde<unknown>,
        outputSerde: serde.json as never,
      }),
    );
  return {
    create: ({ birth, definition, at }, createdAt) =>
      call(birth.id, 'create', { at, createdAt, definition, birth }),
    takeAll: (id, order) => call(id, 'takeAll', order),
    position: async (id) => (await call<LinePosition | null>(id, 'position', null)) ?? undefined,
  };
}

/** The requests of a contact's line to the objects of its instances. */
interface LineInstances {
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
interface ReceivedMessages {
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
class ContactWork {
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
    const answered = await unlessErased(this.#instances.takeAll(id, order));
    if (answered) this.#line.update(answered.position);
    else this.#line.remove(id);
    return answered;
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
