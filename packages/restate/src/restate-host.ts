import type { EventObject, JsonObject } from '@dramaturg/compiler';
import { nextTurn, realWorld } from '@dramaturg/compiler/machine';
import type {
  Answer,
  AtCheckpoint,
  AtStep,
  DeliveryReport,
  ErasureReceipt,
  EventFilter,
  HostEvent,
  ReaderPosition,
} from '@dramaturg/host';
import {
  type Activity,
  type AddressedStart,
  badRequest,
  type BirthOrder,
  byHandEvent,
  type DefinitionsToStart,
  Host,
  type HostEngine,
  HostState,
  type InstanceReader,
  type InterveneOptions,
  journalCursor,
  messageLetter,
  type MessageGroups,
  refusal,
  requireId,
  requireKnown,
  type Schedule,
  type Started,
  type WaitOptions,
} from '@dramaturg/host/engine';
import type { LogMetadata } from '@restatedev/restate-sdk';
import { composeRestateHost, lineStartOf, requireRestate, type RestateParts } from './compose.ts';
import { restateHostOptionNames, type RestateHostOptions } from './options.ts';
import type {
  Answered,
  CreateOrder,
  EventOrder,
  Fate,
  GiveUpOrder,
  LinePosition,
  LineStart,
  ReportOrder,
} from './instance/messages.ts';
import type { ServiceNames } from './names.ts';
import { RestateReaderPosition } from './reading/journal-follower.ts';
import { openWorkQuery } from './reading/record-query.ts';
import { type Admin, quoted } from './restate/admin.ts';
import { HandlerServer, urlOf } from './restate/handler-server.ts';
import type { Ingress, Target } from './restate/ingress.ts';

/** A process on Restate: it serves the handlers, and its commands are calls of handlers. */
class RestateEngine implements HostEngine {
  readonly parts: RestateParts;
  readonly startChannels: HostEngine['startChannels'];
  readonly #options: RestateHostOptions;
  readonly #state: HostState;
  #server: HandlerServer | undefined;
  readonly #forking: ReturnType<RestateParts['forkingOf']>;

  constructor(
    options: RestateHostOptions,
    parts: RestateParts,
    state: HostState,
    reader: InstanceReader,
  ) {
    this.#options = options;
    this.parts = parts;
    this.#state = state;
    this.#forking = parts.forkingOf(reader);
    this.startChannels = options.handlers === false ? undefined : (options.channels ?? {});
  }

  async open(): Promise<void> {
    try {
      await this.#serve();
    } catch (error) {
      // An open server would keep the process alive.
      await this.parts.retention?.stop();
      await this.#server?.close();
      throw error;
    }
  }

  /** Serves the handlers and registers them, unless other processes do. */
  async #serve(): Promise<void> {
    const { handlers = {} } = this.#options;
    const { services, admin, library } = this.parts;
    await library.learn();
    if (handlers === false) return;
    const { host = '127.0.0.1', advertised, identityKeys, ...listen } = handlers;
    await this.parts.presence.learn();
    // Read before serving, so that messages which this process itself keeps are not tried again.
    const withKept = await this.parts.withKept();
    this.#server = await HandlerServer.listen(
      {
        services,
        logger: (meta, message, ...details) => this.#log(meta, message, details),
        ...(identityKeys && { identityKeys: [...identityKeys] }),
      },
      { ...listen, host },
    );
    await admin.register(advertised ?? urlOf(host, this.#server.port));
    // Hosts that only send commands use these names to start instances.
    for (const { name } of this.#options.definitions)
      await library.keep(await library.latest(name));
    this.parts.retention?.start();
    await this.parts.redeliver(withKept);
    this.parts.presence.begin();
  }

  /** The number of instances with running calls or with messages at a channel. Others are not in memory. */
  get activeCount(): number {
    const { caller, deliverer } = this.parts;
    return new Set([...caller.instances, ...deliverer.instances]).size;
  }

  async start(options: AddressedStart, load: () => Promise<DefinitionsToStart>): Promise<Started> {
    const { id = realWorld.uuid(), channel = null, contact } = options;
    requireId(id);
    return this.#startIn(contact, async () =>
      this.#birthOf(await load(), { ...options, id, channel }),
    );
  }

  /** Starts an instance in the line of its contact, if it has one. */
  async #startIn(contact: string | undefined, load: () => Promise<LineStart>): Promise<Started> {
    const { line, ingress, toInstance } = this.parts;
    if (contact !== undefined) return line.start(contact, load);
    const { birth, ...start } = await load();
    const order: CreateOrder = {
      ...start,
      createdAt: start.at,
      birth: { ...birth, queued: false },
    };
    const { id, status } = await ingress.call<LinePosition>(toInstance(birth.id, 'create'), order);
    return { id, state: status };
  }

  #birthOf(definitions: DefinitionsToStart, order: BirthOrder): Promise<LineStart> {
    return lineStartOf(this.parts.library, definitions, order);
  }

  /** Does nothing: every process takes commands, so none has to be found. */
  announce(): Promise<void> {
    return Promise.resolve();
  }

  get messages(): MessageGroups {
    return this.parts.line.messages;
  }

  send(id: string, event: JsonObject & EventObject): Promise<Answer> {
    return this.parts.sender.send(id, event);
  }

  async report(id: string, report: Omit<DeliveryReport, 'instance'>): Promise<Answer> {
    const { ingress, toInstance } = this.parts;
    const order: ReportOrder = { at: realWorld.now(), report };
    return (await ingress.call<Answered>(toInstance(id, 'report'), order)).answer;
  }

  async fork(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    if ('step' in at) {
      const { state, event } = await this.#forking.atStep(id, at);
      return { id: event.instance, state };
    }
    const { definition, order } = await this.#forking.atCheckpoint(id, at);
    const { contact } = order;
    return this.#startIn(contact, async () => this.#birthOf({ definition, needs: [] }, order));
  }

  migrate(): Promise<Answer> {
    throw notHere();
  }

  undoMigration(): Promise<Answer> {
    throw notHere();
  }

  intervene(id: string, text: string, act: InterveneOptions): Promise<Answer> {
    const { ingress, toInstance, bounds } = this.parts;
    return writeByHand(id, text, act, {
      ingress,
      toInstance,
      deliveryTimeout: bounds.deliveryTimeout,
      isStopping: () => this.#state.isStopping,
    });
  }

  erase(contact: string, running: 'refuse' | 'end'): Promise<ErasureReceipt> {
    return this.parts.line.erase(contact, running);
  }

  events(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    return this.parts.followers.follow(filter);
  }

  async cursor({ instance }: Pick<EventFilter, 'instance'>): Promise<string> {
    if (instance !== undefined) return journalCursor(this.parts.store, instance);
    throw badRequest(
      'The instances of a host on Restate have no common order, so a cursor needs "instance".',
    );
  }

  readerPosition(name: string): ReaderPosition {
    const { store, ingress, toInstance } = this.parts;
    return new RestateReaderPosition(name, { store, ingress, toInstance, now: realWorld.now });
  }

  settle({ within = 10_000 }: WaitOptions): Promise<boolean> {
    return settled(within, this.parts);
  }

  async stop(within: number): Promise<void> {
    const { schedule, caller, deliverer, feed, followers, errors } = this.parts;
    await this.#forking.stop();
    await this.parts.retention?.stop();
    await this.settle({ within });
    await this.parts.presence.end();
    // Waits until answers that have arrived are stored.
    await nextTurn();
    await nextTurn();
    schedule.stop();
    caller.stop();
    deliverer.stop();
    await this.#server?.close();
    feed.stop();
    followers.stop();
    errors.flush();
    await this.parts.store.close();
  }

  /** Reports failures to the person who runs the host, although Restate retries them. */
  #log({ level, context }: LogMetadata, message: unknown, details: readonly unknown[]): void {
    // The SDK does not export its enum of levels. Its only warning without a context is about missing keys.
    if (context === undefined || !['error', 'warn'].includes(level)) return;
    // Restate calls interrupted handlers again, so errors during a stop are expected.
    if (this.#state.isStopping) return;
    const error =
      [message, ...details].find((each) => each instanceof Error) ?? new Error(String(message));
    const { errors } = this.parts;
    errors.report(error, `running ${JSON.stringify(context.invocationTarget)}`);
  }
}

/**
 * Serves the handlers of a host to Restate, and registers them, unless `handlers` is false.
 *
 * @throws HostError `host/unknown-option`; `host/bad-request` when Restate refuses the registration
 */
export async function restateHost<Event extends object = HostEvent>(
  options: RestateHostOptions,
): Promise<Host<Event>> {
  requireKnown(options, restateHostOptionNames, 'options of the host');
  requireRestate(options.ingress, 'ingress');
  requireRestate(options.admin, 'admin');
  const state = new HostState();
  const parts = composeRestateHost(options, () => state.isStopping);
  const { behaviours, ports, channels, attachments } = options;
  return Host.open<Event>(
    {
      store: parts.store,
      now: realWorld.now,
      state,
      behaviours,
      memoriesOf: ports?.memoriesOf,
      channels,
      attachments,
    },
    (reader) => new RestateEngine(options, parts, state, reader),
  );
}

/** The error for a lookup that is not supported here: handlers on Restate have the version of an instance in their own state. */
function notHere(): Error {
  return badRequest(
    'Instances on Restate keep their version: a migration needs a host with a store. Start new instances with the new version, or fork.',
  );
}

interface ByHandOptions {
  readonly ingress: Ingress;
  readonly toInstance: (id: string, handler: string) => Target;
  /** Milliseconds after which a message that waits for earlier ones is given up. */
  readonly deliveryTimeout: number;
  readonly isStopping: () => boolean;
}

/** The pause between two polls for the outcome, in milliseconds. It doubles up to the longest. */
const pauses = { first: 5, longest: 250 };

/**
 * Sends a message to the contact that a person has written by hand. Fulfils when the channel has accepted or rejected the
 * message.
 *
 * @throws HostError `host/unknown-instance`
 */
async function writeByHand(
  id: string,
  text: string,
  act: InterveneOptions,
  { ingress, toInstance, deliveryTimeout, isStopping }: ByHandOptions,
): Promise<Answer> {
  const event = byHandEvent(text, act, () => realWorld.uuid());
  const message = event.id;
  const letter = messageLetter(message);
  const begun = realWorld.now();
  const order: EventOrder = { at: begun, event };
  const { answer } = await ingress.call<Answered>(toInstance(id, 'take'), order);
  if (!answer.accepted) return answer;
  let givenUp = begun;
  for (let pause = pauses.first; ; pause = Math.min(pause * 2, pauses.longest)) {
    const fate = await ingress.call<Fate>(toInstance(id, 'fate'), { message });
    if (fate.type === 'delivered') return { accepted: true, state: fate.state };
    if (fate.type === 'rejected') {
      const because = `The channel has not taken it: ${fate.because}`;
      return refusal('message/not-delivered', because, fate.state);
    }
    if (isStopping()) {
      const because =
        'The host stopped before the channel accepted the message. The next host delivers it.';
      return refusal('message/not-delivered', because, fate.state);
    }
    const now = realWorld.now();
    if (now - givenUp >= deliveryTimeout) {
      givenUp = now;
      const given: GiveUpOrder = {
        at: now,
        letter,
        because: 'the channel has not accepted the messages before it yet.',
      };
      await ingress.call(toInstance(id, 'giveUp'), given);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

interface SettlingOptions {
  readonly admin: Admin;
  readonly names: ServiceNames;
  readonly activity: Activity;
  readonly schedule: Schedule;
}

/** The pause between two polls, in milliseconds. */
const pause = 20;

/**
 * Waits until this process is idle and Restate has no work in the namespace. Calls with a delay, such as alarms, do not count.
 *
 * Restate lists no invocation that is on its way from one partition to another. Such calls and messages are found in the
 * instances that wait for them. The answer of a child that is on its way is not found.
 *
 * @param within milliseconds
 * @returns false on timeout
 */
async function settled(
  within: number,
  { admin, names, activity, schedule }: SettlingOptions,
): Promise<boolean> {
  if (within <= 0) return false;
  const end = performance.now() + within;
  const services = Object.values(names).map(quoted).join(', ');
  const sql = `SELECT count(*) AS open FROM sys_invocation WHERE target_service_name IN (${services}) AND status NOT IN ('completed', 'scheduled')`;
  for (;;) {
    if (!(await activity.settled(Math.max(0, end - performance.now()), schedule))) return false;
    const [row] = await admin.query<{ readonly open: number }>(sql);
    if (row?.open === 0 && (await admin.query(openWorkQuery(names.instance))).length === 0)
      return true;
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
