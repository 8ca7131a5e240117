import { type Chart, type EventObject, type JsonObject, realWorld } from '@dramaturg/compiler';
import {
  type Answer,
  type AtCheckpoint,
  type AtStep,
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

/** A host of one process on Restate: it serves the handlers, and its commands are calls of handlers. */
export class RestateHost<Event extends object = HostEvent>
  extends InstanceReader
  implements Host<Event>
{
  readonly #options: RestateHostOptions;
  readonly #parts: RestateParts;
  #server: HandlerServer | undefined;
  #stopping: Promise<void> | undefined;
  /** Several hosts use one Restate at the same time, so no other host takes it. */
  readonly stopped: Promise<undefined>;
  #end!: (reason: undefined) => void;

  /** Use `restateHost`. */
  constructor(options: RestateHostOptions) {
    const parts = composeRestateHost(options, () => this.#stopping !== undefined);
    const { behaviours, ports } = options;
    super(parts.store, realWorld.now, { behaviours, memoriesOf: ports?.memoriesOf });
    this.#options = options;
    this.#parts = parts;
    this.stopped = new Promise((resolve) => (this.#end = resolve));
  }

  /** Serves the handlers and registers them, unless other processes do. */
  async open(): Promise<void> {
    const { handlers = {} } = this.#options;
    const { services, admin, library } = this.#parts;
    await library.learn();
    if (handlers === false) return;
    const { host = '127.0.0.1', advertised, identityKeys, ...listen } = handlers;
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
  }

  get definitions(): readonly string[] {
    return this.#parts.library.names;
  }

  /** Instances are in memory during a step only. */
  get activeCount(): number {
    return 0;
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
    const { id = realWorld.uuid(), channel = null, contact } = options;
    requireId(id);
    requireChannel(channel, this.#options.channels ?? {});
    const load = () => this.#startOf(definition, { ...options, id, channel });
    if (contact !== undefined) return this.#parts.line.start(requireContact(contact), load);
    const { birth, ...order } = await load();
    const create: CreateOrder = {
      ...order,
      createdAt: order.at,
      birth: { ...birth, queued: false },
    };
    const { ingress, toInstance } = this.#parts;
    const { status } = await ingress.call<LinePosition>(toInstance(id, 'create'), create);
    return { id, state: status };
  }

  /** Stores the definitions that the instance needs. */
  async #startOf(
    name: string,
    {
      id,
      contact,
      channel,
      message,
      needs = [],
      ...options
    }: Omit<StartOptions, 'id' | 'channel'> & {
      readonly id: string;
      readonly channel: string | null;
    },
  ): Promise<LineStart> {
    const { library } = this.#parts;
    const definition = await library.latest(name);
    const needed = await Promise.all(needs.map((each) => library.latest(each)));
    const input = jsonOf(options.input ?? {}, 'input');
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
      lifecycleInput: jsonOf(options.lifecycleInput ?? {}, 'lifecycleInput'),
    };
    for (const each of [definition, ...needed]) await library.keep(each);
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

  async fork(_id: string, _at: AtStep | AtCheckpoint): Promise<Started> {
    this.#requireRunning();
    throw badRequest('A host on Restate cannot copy instances yet.');
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

  async erase(_options: EraseOptions): Promise<ErasureReceipt> {
    this.#requireRunning();
    throw badRequest('A host on Restate cannot erase contacts yet.');
  }

  async backup(): Promise<void> {
    this.#requireRunning();
    await this.#parts.store.backup();
  }

  events(filter: EventFilter = {}): AsyncIterableIterator<Event> {
    return this.#parts.streams.subscribe(filter) as unknown as AsyncIterableIterator<Event>;
  }

  settle({ within = 10_000 }: WaitOptions = {}): Promise<boolean> {
    return settled(within, this.#parts);
  }

  override stop({ within = 10_000 }: WaitOptions = {}): Promise<void> {
    return (this.#stopping ??= this.#stop(within));
  }

  async #stop(within: number): Promise<void> {
    const { activity, schedule, caller, deliverer, feed, streams, errors } = this.#parts;
    await activity.settled(within, schedule);
    schedule.stop();
    caller.stop();
    deliverer.stop();
    await this.#server?.close();
    feed.stop();
    streams.end();
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
    const error = [message, ...details].find((each) => each instanceof Error) ?? message;
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
