import {
  type Chart,
  type EventObject,
  type JsonObject,
  nextTurn,
  realWorld,
} from '@dramaturg/compiler';
import {
  type Answer,
  type AtCheckpoint,
  type AtStep,
  type Birth,
  contactKey,
  type DecisionGiven,
  type Definition,
  type EraseOptions,
  type ErasureReceipt,
  type EventFilter,
  type Host,
  type HostEvent,
  type Routed,
  type StartOptions,
} from '@dramaturg/host';
import {
  badRequest,
  decisionNames,
  decisionNotOpen,
  fateOf,
  InstanceReader,
  jsonOf,
  type LoadedDefinition,
  type ReceivedMessage,
  requireChannel,
  requireContact,
  requireEvent,
  requireFirstMessage,
  requireId,
  requireKnown,
  requireReceived,
  type Started,
  startOptionNames,
  type WaitOptions,
} from '@dramaturg/host/engine';
import type { LogMetadata } from '@restatedev/restate-sdk';
import { writeByHand } from './commands/by-hand.ts';
import { settled } from './commands/settling.ts';
import { composeRestateHost, requireRestate, type RestateParts, stopped } from './compose.ts';
import type { LinePosition, LineStart } from './contact/messages.ts';
import type { CreateOrder } from './instance/messages.ts';
import { type RestateHostOptions, restateHostOptionNames } from './options.ts';
import { HandlerServer, urlOf } from './restate/handler-server.ts';

/** A start by a person, or the copy of an instance at a save point. */
type BirthOrder = Omit<StartOptions, 'id' | 'channel' | 'needs'> &
  Pick<Birth, 'copy'> & { readonly id: string; readonly channel: string | null };

/** A host of one process on Restate: it serves the handlers, and its commands are calls of handlers. */
class RestateHost<Event extends object = HostEvent> extends InstanceReader implements Host<Event> {
  readonly #options: RestateHostOptions;
  readonly #parts: RestateParts;
  #server: HandlerServer | undefined;
  #stopping: Promise<void> | undefined;
  /** Several hosts use one Restate at the same time, so no other host takes it. */
  readonly stopped: Promise<undefined>;
  readonly #forking: ReturnType<RestateParts['forkingOf']>;
  #end!: (reason: undefined) => void;

  /** Use `restateHost`. */
  constructor(options: RestateHostOptions) {
    const parts = composeRestateHost(options, () => this.#stopping !== undefined);
    const { behaviours, ports } = options;
    super(parts.store, realWorld.now, { behaviours, memoriesOf: ports?.memoriesOf });
    this.#options = options;
    this.#parts = parts;
    this.#forking = parts.forkingOf(this);
    this.stopped = new Promise((resolve) => (this.#end = resolve));
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

  get definitions(): readonly string[] {
    return this.#parts.library.names;
  }

  /** Those whose calls run, or whose messages a channel has. Between them, no instance is in memory. */
  get activeCount(): number {
    const { caller, deliverer } = this.#parts;
    return new Set([...caller.instances, ...deliverer.instances]).size;
  }

  async chart(definition: string): Promise<Chart> {
    return (await this.#parts.library.latest(definition)).chart;
  }

  define(definition: Definition): void {
    this.#requireRunning();
    this.#parts.library.add(definition);
  }

  async start(definition: string, options: StartOptions = {}): Promise<Started> {
    this.#requireRunning();
    requireKnown(options, startOptionNames, 'options of the start');
    requireFirstMessage(options.message);
    const { id = realWorld.uuid(), channel = null, contact, needs = [] } = options;
    requireId(id);
    requireChannel(channel, this.#options.channels ?? {});
    const { library } = this.#parts;
    return this.#startIn(contact, async () => {
      const needed: LoadedDefinition[] = [];
      for (const name of needs) needed.push(await library.latest(name));
      const order = { ...options, id, channel };
      return this.#birthOf(await library.latest(definition), needed, order);
    });
  }

  /** Starts an instance in the line of its contact, if it has one. */
  async #startIn(contact: string | undefined, load: () => Promise<LineStart>): Promise<Started> {
    const { line, ingress, toInstance } = this.#parts;
    if (contact !== undefined) return line.start(requireContact(contact), load);
    const { birth, ...start } = await load();
    const order: CreateOrder = {
      ...start,
      createdAt: start.at,
      birth: { ...birth, queued: false },
    };
    const { id, status } = await ingress.call<LinePosition>(toInstance(birth.id, 'create'), order);
    return { id, state: status };
  }

  /** Stores the definitions that the instance needs. */
  async #birthOf(
    definition: LoadedDefinition,
    needs: readonly LoadedDefinition[],
    order: BirthOrder,
  ): Promise<LineStart> {
    const { id, contact, channel, message, copy } = order;
    const input = jsonOf(order.input ?? {}, 'input');
    // The conversation answers the first message instead of opening with words of its own.
    const answersFirst =
      message !== undefined && definition.lifecycle && definition.machine.converses;
    const birth = {
      id,
      ...(contact === undefined ? {} : { contact: contactKey(contact) }),
      address: contact ?? null,
      channel,
      ...(message ? { message } : {}),
      input: answersFirst ? { opening: 'person', ...input } : input,
      lifecycleInput: jsonOf(order.lifecycleInput ?? {}, 'lifecycleInput'),
      ...(copy ? { copy } : {}),
    };
    for (const each of [definition, ...needs]) await this.#parts.library.keep(each);
    return { at: realWorld.now(), definition: definition.ref, birth };
  }

  async send(id: string, event: EventObject): Promise<Answer> {
    this.#requireRunning();
    const copy = jsonOf(event, 'event') as JsonObject & EventObject;
    requireEvent(copy);
    return this.#parts.sender.send(id, copy);
  }

  async receive(message: ReceivedMessage): Promise<Routed> {
    this.#requireRunning();
    requireReceived(message);
    const { contact, ...fields } = message;
    const event = jsonOf({ type: 'message.received', ...fields }, 'message');
    return this.#parts.line.route(contactKey(contact), event as JsonObject & EventObject);
  }

  async decide(decision: string, given: DecisionGiven): Promise<Answer> {
    const { instance, id } = decisionNames(decision);
    if (id === '' || instance === '')
      throw badRequest('A decision is named by its instance and its own id: "order-1/pac454m8".');
    const answer = await this.send(instance, { ...given, type: 'decision.made', id });
    if (answer.accepted || answer.code !== decisionNotOpen) return answer;
    return { ...answer, because: await fateOf(this.store, instance, id) };
  }

  async fork(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    this.#requireRunning();
    const { id: copy = realWorld.uuid() } = at;
    requireId(copy);
    return this.#parts.copies.make(id, copy, () => this.#fork(id, { ...at, id: copy }));
  }

  async #fork(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    if ('step' in at) {
      const { state, event } = await this.#forking.atStep(id, at);
      return { id: event.instance, state };
    }
    const { definition, order } = await this.#forking.atCheckpoint(id, at);
    const { contact } = order;
    return this.#startIn(contact, async () => this.#birthOf(definition, [], order));
  }

  pause(id: string): Promise<Answer> {
    return this.send(id, { type: 'pause' });
  }

  resume(id: string): Promise<Answer> {
    return this.send(id, { type: 'resume' });
  }

  cancel(id: string, reason?: string): Promise<Answer> {
    return this.send(id, { type: 'cancel', ...(reason === undefined ? {} : { reason }) });
  }

  async intervene(id: string, text: string): Promise<Answer> {
    this.#requireRunning();
    const { ingress, toInstance, bounds } = this.#parts;
    return writeByHand(id, text, {
      ingress,
      toInstance,
      deliveryTimeout: bounds.deliveryTimeout,
      isStopping: () => this.#stopping !== undefined,
    });
  }

  async erase(options: EraseOptions): Promise<ErasureReceipt> {
    this.#requireRunning();
    requireKnown(options, ['contact', 'running'], 'options of the erase');
    const { contact, running = 'refuse' } = options;
    if (running !== 'refuse' && running !== 'end')
      throw badRequest(`"running" is "refuse" or "end", not ${JSON.stringify(running)}.`);
    return this.#parts.line.erase(requireContact(contact), running);
  }

  async backup(): Promise<void> {
    this.#requireRunning();
    await this.#parts.store.backup();
  }

  events(filter: EventFilter = {}): AsyncIterableIterator<Event> {
    const events = this.#parts.followers.follow(filter);
    return events as unknown as AsyncIterableIterator<Event>;
  }

  settle({ within = 10_000 }: WaitOptions = {}): Promise<boolean> {
    return settled(within, this.#parts);
  }

  override stop({ within = 10_000 }: WaitOptions = {}): Promise<void> {
    return (this.#stopping ??= this.#stop(within));
  }

  async #stop(within: number): Promise<void> {
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
    this.#end(undefined);
  }

  /** Restate tries again what has failed. The person who runs the host has to know. */
  #log({ level, context }: LogMetadata, message: unknown, details: readonly unknown[]): void {
    // The SDK declares an enum of levels and does not export it. Its only warning without a context is about missing keys.
    if (context === undefined || !['error', 'warn'].includes(level)) return;
    // Restate calls the handlers again that a stop interrupts.
    if (this.#stopping) return;
    const error =
      [message, ...details].find((each) => each instanceof Error) ?? new Error(String(message));
    const { errors } = this.#parts;
    errors.report(error, `running ${JSON.stringify(context.invocationTarget)}`);
  }

  #requireRunning(): void {
    if (this.#stopping) throw stopped();
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
  await host.open();
  return host;
}
