import type { EventObject, JsonObject } from '@dramaturg/compiler';
import { nextTurn, realWorld } from '@dramaturg/compiler/machine';
import type {
  Answer,
  AtCheckpoint,
  AtStep,
  DeliveryReport,
  ErasureReceipt,
  EventFilter,
  Host,
  HostEvent,
  ReaderPosition,
  Routed,
} from '@dramaturg/host';
import {
  type AddressedStart,
  badRequest,
  journalCursor,
  type BirthOrder,
  type InterveneOptions,
  type DefinitionsToStart,
  HostCommands,
  requireId,
  type PreparedStart,
  requireKnown,
  requireObject,
  type Started,
  type WaitOptions,
} from '@dramaturg/host/engine';
import type { LogMetadata } from '@restatedev/restate-sdk';
import { writeByHand } from './commands/by-hand.ts';
import { settled } from './commands/settling.ts';
import { composeRestateHost, requireRestate, type RestateParts } from './compose.ts';
import { lineStartOf } from './contact/line-start.ts';
import type { LinePosition, LineStart } from './contact/messages.ts';
import type { Answered, CreateOrder, ReportOrder } from './instance/messages.ts';
import { RestateReaderPosition } from './reading/reader-position.ts';
import { type RestateHostOptions, restateHostOptionNames } from './options.ts';
import { HandlerServer, urlOf } from './restate/handler-server.ts';

/** A host of one process on Restate: it serves the handlers, and its commands are calls of handlers. */
class RestateHost<Event extends object = HostEvent> extends HostCommands<Event> {
  readonly #options: RestateHostOptions;
  readonly #parts: RestateParts;
  #server: HandlerServer | undefined;
  readonly #forking: ReturnType<RestateParts['forkingOf']>;

  /** Use `restateHost`. */
  constructor(options: RestateHostOptions) {
    const parts = composeRestateHost(options, () => this.isStopping);
    const { behaviours, ports, channels } = options;
    super(parts.store, realWorld.now, { behaviours, memoriesOf: ports?.memoriesOf, channels });
    this.#options = options;
    this.#parts = parts;
    this.#forking = parts.forkingOf(this);
  }

  protected override get startChannels() {
    return this.#options.handlers === false ? undefined : this.channels;
  }

  /** Serves the handlers and registers them, unless other processes do. */
  async open(): Promise<void> {
    const { handlers = {} } = this.#options;
    const { services, admin, library } = this.#parts;
    await library.learn();
    if (handlers === false) return;
    const { host = '127.0.0.1', advertised, identityKeys, ...listen } = handlers;
    await this.#parts.presence.learn();
    // This process tries those that it keeps itself no more than once.
    const withKept = await this.#parts.withKept();
    this.#server = await HandlerServer.listen(
      {
        services,
        logger: (meta, message, ...details) => this.#log(meta, message, details),
        ...(identityKeys && { identityKeys: [...identityKeys] }),
      },
      { ...listen, host },
    );
    await admin.register(advertised ?? urlOf(host, this.#server.port));
    // Hosts that only send commands start instances by these names.
    for (const { name } of this.#options.definitions)
      await library.keep(await library.latest(name));
    this.#parts.retention?.start();
    await this.#parts.redeliver(withKept);
    this.#parts.presence.begin();
  }

  /** Releases what a failed `open` has begun: an open server would keep the process alive. */
  async abandon(): Promise<void> {
    await this.#parts.retention?.stop();
    await this.#server?.close();
  }

  protected get commandParts(): RestateParts {
    return this.#parts;
  }

  /** Those whose calls run, or whose messages a channel has. Between them, no instance is in memory. */
  get activeCount(): number {
    const { caller, deliverer } = this.#parts;
    return new Set([...caller.instances, ...deliverer.instances]).size;
  }

  protected async startNow(
    options: AddressedStart,
    load: () => Promise<DefinitionsToStart>,
  ): Promise<Started> {
    const { id = realWorld.uuid(), channel = null, contact } = options;
    requireId(id);
    return this.#startIn(contact, async () =>
      this.#birthOf(await load(), { ...options, id, channel }),
    );
  }

  /** Starts an instance in the line of its contact, if it has one. */
  async #startIn(contact: string | undefined, load: () => Promise<LineStart>): Promise<Started> {
    const { line, ingress, toInstance } = this.#parts;
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
    return lineStartOf(this.#parts.library, definitions, order);
  }

  /** Every process takes commands, so none has to be found. */
  protected announceNow(): Promise<void> {
    return Promise.resolve();
  }

  protected sendNow(id: string, event: JsonObject & EventObject): Promise<Answer> {
    return this.#parts.sender.send(id, event);
  }

  protected async reportNow(id: string, report: Omit<DeliveryReport, 'instance'>): Promise<Answer> {
    const { ingress, toInstance } = this.#parts;
    const order: ReportOrder = { at: realWorld.now(), report };
    return (await ingress.call<Answered>(toInstance(id, 'report'), order)).answer;
  }

  protected routeNow(
    contact: string,
    event: JsonObject & EventObject,
    start: PreparedStart | undefined,
  ): Promise<Routed> {
    return this.#parts.line.route(contact, event, start);
  }

  protected async forkNow(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    if ('step' in at) {
      const { state, event } = await this.#forking.atStep(id, at);
      return { id: event.instance, state };
    }
    const { definition, order } = await this.#forking.atCheckpoint(id, at);
    const { contact } = order;
    return this.#startIn(contact, async () => this.#birthOf({ definition, needs: [] }, order));
  }

  protected migrateNow(): Promise<Answer> {
    throw notHere();
  }

  protected undoNow(): Promise<Answer> {
    throw notHere();
  }

  protected interveneNow(id: string, text: string, act: InterveneOptions): Promise<Answer> {
    const { ingress, toInstance, bounds } = this.#parts;
    return writeByHand(id, text, act, {
      ingress,
      toInstance,
      deliveryTimeout: bounds.deliveryTimeout,
      isStopping: () => this.isStopping,
    });
  }

  protected eraseNow(contact: string, running: 'refuse' | 'end'): Promise<ErasureReceipt> {
    return this.#parts.line.erase(contact, running);
  }

  protected eventsNow(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    return this.#parts.followers.follow(filter);
  }

  protected async cursorNow({ instance }: Pick<EventFilter, 'instance'>): Promise<string> {
    if (instance !== undefined) return journalCursor(this.store, instance);
    throw badRequest(
      'The instances of a host on Restate have no common order, so a cursor needs "instance".',
    );
  }

  readerPosition(name: string): ReaderPosition {
    const { store, ingress, toInstance } = this.#parts;
    return new RestateReaderPosition(name, { store, ingress, toInstance, now: realWorld.now });
  }

  async settle(options: WaitOptions = {}): Promise<boolean> {
    const { within = 10_000 } = requireObject(options, 'options of the wait');
    return settled(within, this.#parts);
  }

  protected async stopNow(within: number): Promise<void> {
    const { schedule, caller, deliverer, feed, followers, errors } = this.#parts;
    await this.#forking.stop();
    await this.#parts.retention?.stop();
    await this.settle({ within });
    await this.#parts.presence.end();
    // Answers that have come are stored.
    await nextTurn();
    await nextTurn();
    schedule.stop();
    caller.stop();
    deliverer.stop();
    await this.#server?.close();
    feed.stop();
    followers.stop();
    errors.flush();
    await this.store.close();
  }

  /** Restate tries again what has failed. The person who runs the host has to know. */
  #log({ level, context }: LogMetadata, message: unknown, details: readonly unknown[]): void {
    // The SDK declares an enum of levels and does not export it. Its only warning without a context is about missing keys.
    if (context === undefined || !['error', 'warn'].includes(level)) return;
    // Restate calls the handlers again that a stop interrupts.
    if (this.isStopping) return;
    const error =
      [message, ...details].find((each) => each instanceof Error) ?? new Error(String(message));
    const { errors } = this.#parts;
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
  const host = new RestateHost<Event>(options);
  try {
    await host.open();
  } catch (error) {
    await host.abandon();
    throw error;
  }
  return host;
}

/** Handlers that run an instance on Restate have its version in their own state. */
function notHere(): Error {
  return badRequest(
    'Instances on Restate keep their version: a migration needs a host with a store. Start new instances with the new version, or fork.',
  );
}
