import { type EventObject, type JsonObject, realWorld } from '@dramaturg/compiler';
import {
  type Answer,
  type EventFilter,
  HostError,
  type HostEvent,
  type StartOptions,
} from '@dramaturg/host';
import {
  jsonOf,
  type LoadedDefinition,
  requireChannel,
  requireEvent,
  requireFirstMessage,
  requireId,
  requireKnown,
  type Started,
  startOptionNames,
  type WaitOptions,
} from '@dramaturg/host/engine';
import type { LogMetadata } from '@restatedev/restate-sdk';
import { composeRestateHost, requireRestate, type RestateParts } from './compose.ts';
import type { Answered, CreateOrder, EventOrder, Standing } from './instance/messages.ts';
import { type RestateHostOptions, restateHostOptionNames } from './options.ts';
import { HandlerServer, urlOf } from './restate/handler-server.ts';

/** A host of one process on Restate: it serves the handlers, and its commands are calls of handlers. */
export class RestateHost {
  readonly #options: RestateHostOptions;
  readonly #parts: RestateParts;
  #server: HandlerServer | undefined;
  #stopping: Promise<void> | undefined;

  /** Use `restateHost`. */
  constructor(options: RestateHostOptions) {
    this.#options = options;
    this.#parts = composeRestateHost(options, () => this.#stopping !== undefined);
  }

  /** Serves the handlers and registers them, unless other processes do. */
  async open(): Promise<void> {
    const { handlers = {} } = this.#options;
    if (handlers === false) return;
    const { host = '127.0.0.1', advertised, identityKeys, ...listen } = handlers;
    const { services, admin } = this.#parts;
    this.#server = await HandlerServer.listen(
      {
        services,
        logger: (meta, message, ...details) => this.#log(meta, message, details),
        ...(identityKeys && { identityKeys: [...identityKeys] }),
      },
      { ...listen, host },
    );
    await admin.register(advertised ?? urlOf(host, this.#server.port));
  }

  async start(definition: string, options: StartOptions = {}): Promise<Started> {
    this.#requireRunning();
    requireKnown(options, startOptionNames, 'options of the start');
    requireFirstMessage(options.message);
    const { library, ingress, toInstance } = this.#parts;
    const { id = realWorld.uuid(), channel = null, message } = options;
    requireId(id);
    requireChannel(channel, this.#options.channels ?? {});
    const loaded: LoadedDefinition = await library.latest(definition);
    const input = jsonOf(options.input ?? {}, 'input');
    const answersFirst = message !== undefined && loaded.lifecycle && loaded.machine.converses;
    await library.keep(loaded);
    const at = realWorld.now();
    const order: CreateOrder = {
      at,
      createdAt: at,
      definition: loaded.ref,
      birth: {
        id,
        address: options.contact ?? null,
        channel,
        queued: false,
        ...(message ? { message } : {}),
        input: answersFirst ? { opening: 'person', ...input } : input,
        lifecycleInput: jsonOf(options.lifecycleInput ?? {}, 'lifecycleInput'),
      },
    };
    const { status } = await ingress.call<Standing>(toInstance(id, 'create'), order);
    return { id, state: status };
  }

  async send(id: string, event: EventObject): Promise<Answer> {
    this.#requireRunning();
    const copy = jsonOf(event, 'event') as JsonObject & EventObject;
    requireEvent(copy);
    const { ingress, toInstance } = this.#parts;
    const order: EventOrder = { at: realWorld.now(), event: copy, isOutside: true };
    return (await ingress.call<Answered>(toInstance(id, 'take'), order)).answer;
  }

  events(filter: EventFilter = {}): AsyncIterableIterator<HostEvent> {
    return this.#parts.streams.subscribe(filter);
  }

  stop({ within = 10_000 }: WaitOptions = {}): Promise<void> {
    return (this.#stopping ??= this.#stop(within));
  }

  async #stop(within: number): Promise<void> {
    const { activity, schedule, caller, deliverer, streams, errors } = this.#parts;
    await activity.settled(within, schedule);
    schedule.stop();
    caller.stop();
    deliverer.stop();
    await this.#server?.close();
    streams.end();
    errors.flush();
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
    if (this.#stopping)
      throw new HostError('host/stopped', 'The host has stopped and accepts no more commands.');
  }
}

/**
 * Serves the handlers of a host to Restate, and registers them, unless `handlers` is false.
 *
 * @throws HostError `host/unknown-option`; `host/bad-request` when Restate refuses the registration
 */
export async function restateHost(options: RestateHostOptions): Promise<RestateHost> {
  requireKnown(options, restateHostOptionNames, 'options of the host');
  requireRestate(options.ingress, 'ingress');
  requireRestate(options.admin, 'admin');
  const host = new RestateHost(options);
  await host.open();
  return host;
}
