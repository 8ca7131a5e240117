import type { Chart, EventObject, JsonObject } from '@dramaturg/compiler';
import type { Channel } from '../channel/channel.ts';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { contactKey } from '../contact.ts';
import type { Definition } from '../definitions/definition.ts';
import { type LoadedDefinition, Library } from '../definitions/library.ts';
import { HostError } from '../errors.ts';
import { type Answer, type HostEvent, priorInstanceTerminal } from '../instance/event.ts';
import { decisionNotOpen } from '../instance/deciding.ts';
import type { Decided, Surroundings } from '../instance/live-instance.ts';
import { isOwnEvent } from '../instance/own-events.ts';
import { StepWorld } from '../instance/step-world.ts';
import type { Birth } from '../instance/state.ts';
import { limitsIn } from '../limits/index.ts';
import type { DueTimer, RecordSummary, Store } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { ByHand } from './by-hand.ts';
import { checkpointPrefix, Checkpoints } from './checkpoints.ts';
import { type DecisionGiven, decisionNames, fateOf } from './decisions.ts';
import { Deliveries } from './deliveries.ts';
import { type EventFilter, EventStreams } from './event-stream.ts';
import { Forking } from './forking.ts';
import { InstanceReader } from './instance-reader.ts';
import { InstanceFamily } from './instance-family.ts';
import { LastAlive, setsTimersAnew } from './last-alive.ts';
import { type ContactQueue, ContactQueues, type QueuePosition } from './contact-queues.ts';
import {
  type AtCheckpoint,
  type AtStep,
  type HostOptions,
  type StartOptions,
  startOptionNames,
} from './options.ts';
import { placeOf } from './places.ts';
import { refusalOfRepeated } from '../instance/refusal.ts';
import { predecessorOf } from './predecessor.ts';
import { recover } from './recovery.ts';
import {
  badRequest,
  jsonOf,
  requireChannel,
  requireContact,
  requireEvent,
  requireFirstMessage,
  requireId,
  requireKnown,
  requireNewMessage,
  requireReceived,
} from './request.ts';
import type { Runner } from './runner.ts';
import { Starting } from './starting.ts';
import { Timekeeper } from './timekeeper.ts';
import { ActiveInstances } from './active-instances.ts';

/** What a message from outside has come to. */
export type Routed =
  | ({ readonly instance: string } & Answer)
  /** No instance holds the contact: the message is not kept. */
  | {
      readonly instance: null;
      readonly accepted: false;
      readonly code: 'host/no-holder';
      /** A sentence for people. */
      readonly because: string;
    };

/**
 * Runs instances of definitions as durable actors: one at a time for each contact, one event at a time for each instance,
 * and everything stored before it has an effect. See docs/host.md.
 *
 * @typeParam Event what its instances tell: a facade that knows its formats knows their events
 */
export class Host<Event extends object = HostEvent> extends InstanceReader {
  readonly #clock: Clock;
  readonly #library: Library;
  readonly #options: HostOptions;
  readonly #surroundings: Surroundings;
  readonly #activeInstances: ActiveInstances;
  readonly #contactQueues: ContactQueues;
  readonly #timekeeper: Timekeeper;
  readonly #deliveries: Deliveries;
  readonly #streams = new EventStreams();
  readonly #byHand: ByHand;
  readonly #checkpoints: Checkpoints;
  readonly #lastAlive: LastAlive;
  readonly #starting: Starting;
  readonly #forking: Forking;
  readonly #reviving = new AbortController();
  /** How many contacts have become free whose next instance is being called. */
  #callingNext = 0;
  #stopping: Promise<void> | undefined;

  /** Use `createHost`. */
  constructor(store: Store, options: HostOptions) {
    const { clock = realClock(), behaviours, definitions, ports = {} } = options;
    const { maxActive = 256, deliveryTimeout = 30_000 } = options;
    super(store, clock.world.now);
    this.#clock = clock;
    this.#options = options;
    const world = new StepWorld(clock.world);
    const onError = (error: unknown, doing: string) => this.#trouble(error, doing);
    const { now } = clock.world;
    const lastAlive = new LastAlive(store, now, onError);
    this.#lastAlive = lastAlive;
    const onChart = (chart: Chart) => {
      if (setsTimersAnew(chart)) lastAlive.want();
    };
    this.#library = new Library({ store, behaviours, world, onError, onChart });
    for (const definition of definitions) this.#library.add(definition);
    const channels = new Map<string, Channel>(Object.entries(options.channels ?? {}));
    this.#deliveries = new Deliveries({
      channels,
      clock,
      deliveryTimeout,
      onError,
    });
    this.#checkpoints = new Checkpoints(store, now, (at) => this.#timekeeper.note(at));
    this.#surroundings = {
      world,
      isWaitedFor: (port) =>
        port === 'timer' || (port === 'requestDecision' && !ports.requestDecision),
      definitionOf: (agent) => {
        const name = options.definitionOf?.(agent);
        return name !== undefined && this.#library.has(name) ? name : undefined;
      },
      hasChannel: (name) => channels.has(name),
    };
    this.#activeInstances = new ActiveInstances({
      store,
      library: this.#library,
      limit: maxActive,
      surroundings: this.#surroundings,
      services: {
        store,
        ports,
        limits: limitsIn(options.limits ?? {}),
        deliveries: this.#deliveries,
        checkpoints: this.#checkpoints,
        family: new InstanceFamily({
          store,
          activeInstances: () => this.#activeInstances,
          definitionOf: (name) => this.#library.latest(name),
          start: (definition, { contact, ...order }) =>
            this.#begin(async () => ({ definition, needs: [] }), {
              ...order,
              ...(contact === null ? {} : { contact }),
            }),
        }),
        now,
        publish: (events) => this.#publish(events),
        onText: options.onText ?? (() => {}),
        onCommit: (runner, decided) => this.#afterCommit(runner, decided),
      },
      onBroken: (id, error) => this.#revive(id, error),
    });
    this.#contactQueues = new ContactQueues(
      store,
      (summary) => this.#placeOf(summary),
      async (id, contact) => {
        const { seen = [] } = (await predecessorOf(contact, store)) ?? {};
        const event = { type: priorInstanceTerminal, ...(seen.length > 0 ? { seen } : {}) };
        await this.#activeInstances.use(id, (runner) => runner.receive(event));
      },
      (contact) => this.#activeInstances.holder(contact),
    );
    const library = this.#library;
    const activeInstances = this.#activeInstances;
    this.#byHand = new ByHand({
      activeInstances,
      deliveryTimeout,
      stateOf: async (id) => (await this.get(id)).state,
      onError,
    });
    const surroundings = this.#surroundings;
    this.#starting = new Starting({ store, library, activeInstances, surroundings });
    const checkpoints = this.#checkpoints;
    this.#forking = new Forking({ reader: this, behaviours, checkpoints, library, surroundings });
    this.#timekeeper = new Timekeeper({
      store,
      clock,
      fire: (timer) => this.#fire(timer),
      onError,
    });
  }

  /** The names of the definitions that this host was given. The store may have others from hosts before it. */
  get definitions(): readonly string[] {
    return this.#library.names;
  }

  /**
   * The chart that instances are started of, in the version that was defined last.
   *
   * @throws HostError `host/unknown-definition`
   */
  async chart(definition: string): Promise<Chart> {
    return (await this.#library.latest(definition)).chart;
  }

  /**
   * Adds a definition; it takes the place of another of the name for instances that start from now on.
   *
   * @throws LinkError, ChartError when the chart and the code behind it do not fit
   */
  define(definition: Definition): void {
    this.#requireRunning();
    this.#library.add(definition);
  }

  /**
   * Starts an instance. It answers as soon as the instance is stored; its first turn goes on by itself.
   *
   * @param definition the name of one
   * With `message`, the contact has written first: one reply answers it. When it cannot be taken, nothing is started.
   *
   * @throws InputError when the input of the definition or of its lifecycle does not fit
   * @throws HostError `host/unknown-definition`, `host/exists`, `host/bad-request`, `host/unknown-option`,
   *   `host/message-refused`
   */
  async start(
    definition: string,
    options: StartOptions = {},
  ): Promise<{ readonly id: string; readonly state: string }> {
    this.#requireRunning();
    requireKnown(options, startOptionNames, 'options of the start');
    requireFirstMessage(options.message);
    return this.#begin(async () => {
      const needs: LoadedDefinition[] = [];
      for (const name of options.needs ?? []) needs.push(await this.#library.latest(name));
      return { definition: await this.#library.latest(definition), needs };
    }, options);
  }

  /** The line of the contact is taken before anything is waited for: the order of the calls is the order in the line. */
  async #begin(
    load: () => Promise<{
      readonly definition: LoadedDefinition;
      readonly needs: readonly LoadedDefinition[];
    }>,
    options: Omit<StartOptions, 'channel'> & {
      readonly channel?: string | null;
    } & Pick<Birth, 'copy' | 'parent'>,
  ): Promise<{ readonly id: string; readonly state: string }> {
    const { id = crypto.randomUUID(), contact, channel = null, copy, parent } = options;
    // Those of a child come from its parent, whose channel another host may have.
    if (!parent) {
      requireId(id);
      requireChannel(channel, this.#options.channels ?? {});
    }
    const key = contact === undefined ? undefined : requireContact(contact);
    const start = async (line: { readonly isHeld: boolean; readonly last: number }) => {
      const { definition, needs } = await load();
      const given = jsonOf(options.input ?? {}, 'input');
      // The instance begins with a message: it is for the conversation to answer, and not to open.
      const opens =
        options.message !== undefined && definition.lifecycle && definition.machine.converses;
      // Whoever has to wait is told when its turn comes.
      const before =
        key === undefined || line.isHeld ? undefined : await predecessorOf(key, this.store);
      requireNewMessage(options.message, before?.seen);
      const birth: Birth = {
        id,
        ...(key === undefined ? {} : { contact: key }),
        address: contact ?? null,
        channel,
        queued: line.isHeld,
        ...(options.message ? { message: options.message } : {}),
        input: opens ? { opening: 'person', ...given } : given,
        lifecycleInput: jsonOf(options.lifecycleInput ?? {}, 'lifecycleInput'),
        ...(copy ? { copy } : {}),
        ...(parent ? { parent } : {}),
        ...(before ? { seenBefore: before.seen } : {}),
      };
      const { runner, decided } = await this.#starting.start(definition, birth, line.last, needs);
      this.#publish(decided.events);
      this.#afterCommit(runner, decided);
      return runner.stored.status;
    };
    const state =
      key === undefined
        ? await start({ isHeld: false, last: -Infinity })
        : await this.#contactQueues.within(key, async (line) => start(await line.standing()));
    return { id, state };
  }

  /**
   * An event for an instance: `message.received`, `decision.made`, or one of its definition's own. Fulfils once what came
   * of it is stored (H1). One that is not accepted changes nothing, and the answer says why.
   *
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  async send(id: string, event: EventObject): Promise<Answer> {
    this.#requireRunning();
    const sent = jsonOf(event, 'event') as JsonObject & EventObject;
    requireEvent(sent);
    return this.#activeInstances.use(id, (runner) => {
      if (runner.instance.performs && isOwnEvent(sent.type))
        throw badRequest(`"${sent.type}" is an event that only a host tells its instances.`);
      return runner.receive(sent);
    });
  }

  /**
   * A message from outside, for the instance that holds the contact. When no instance does, the message is not kept, and
   * the answer has `instance: null` and the code `host/no-holder`.
   *
   * Messages and starts of one contact are handled in the order of the calls: a message after a start goes to the started
   * instance, or to the one that it waits for; a message before a start goes to nobody if the contact was free.
   *
   * @param message `id` is the channel's own: a message that comes twice with one id is one message
   * @throws HostError `host/bad-request`, `host/unknown-option`
   */
  async receive(message: {
    readonly contact: string;
    readonly text: string;
    readonly id?: string;
  }): Promise<Routed> {
    this.#requireRunning();
    requireReceived(message);
    const { contact, text, id } = message;
    const event = { type: 'message.received', text, ...(id === undefined ? {} : { id }) };
    return this.#contactQueues.within(contactKey(contact), (line) => this.#route(line, event));
  }

  async #route(line: ContactQueue, event: EventObject): Promise<Routed> {
    for (let before: string | undefined; ;) {
      const instance = await line.holder();
      if (instance === undefined) return this.#toNobody(line.contact, event);
      const answer = await this.send(instance, event);
      // One that was just ending: it is asked once more who holds the contact now.
      const isLate = !answer.accepted && instance !== before && (await this.get(instance)).ended;
      if (!isLate) return { instance, ...answer };
      before = instance;
    }
  }

  /** Nobody takes it, unless somebody has before. */
  async #toNobody(contact: string, event: EventObject): Promise<Routed> {
    const { id } = event;
    const before = typeof id === 'string' ? await predecessorOf(contact, this.store) : undefined;
    if (before?.seen.includes(String(id)))
      return { instance: before.id, ...refusalOfRepeated(event, before.state) };
    return {
      instance: null,
      accepted: false,
      code: 'host/no-holder',
      because: 'No instance holds the contact, so the message is not kept.',
    };
  }

  /**
   * Decides what an instance has asked a person. A decision is taken once, by the state that asked. One that cannot be
   * taken changes nothing, and the answer says why: an option that is not on offer, a field that is not free to change,
   * somebody who may not decide, a question that is open no more.
   *
   * @param decision the instance and the decision within, as `decisions` lists it: `order-1/pac454m8`
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  async decide(decision: string, given: DecisionGiven): Promise<Answer> {
    const { instance, id } = decisionNames(decision);
    if (id === '' || instance === '')
      throw badRequest('A decision is named by its instance and its own id: "order-1/pac454m8".');
    const answer = await this.send(instance, { ...given, type: 'decision.made', id });
    if (answer.accepted || answer.code !== decisionNotOpen) return answer;
    return { ...answer, because: await fateOf(this.store, instance, id) };
  }

  /**
   * Starts an instance that begins where another one was, and goes on from there by itself; the other one is not touched,
   * and may have ended. At a save point it is a copy of the run, with calls and timers of its own. After a step, which are
   * counted in the journal from 1, calls that were open are made and timers that were due fire; it has no contact, and what
   * it says goes to nobody.
   *
   * @throws HostError `host/unknown-instance`, `host/unknown-checkpoint`, `host/bad-request`, `host/exists`
   */
  async fork(
    id: string,
    at: AtStep | AtCheckpoint,
  ): Promise<{ readonly id: string; readonly state: string }> {
    this.#requireRunning();
    if (!('step' in at)) {
      const { definition, order } = await this.#forking.atCheckpoint(id, at);
      return this.#begin(async () => ({ definition, needs: [] }), order);
    }
    const { copy, definition, told } = await this.#forking.atStep(id, at);
    const runner = await this.#starting.fork(copy, definition, told);
    this.#publish([told]);
    for (const timer of copy.view().timers) this.#timekeeper.note(timer.at);
    return { id: told.instance, state: runner.stored.status };
  }

  pause(id: string): Promise<Answer> {
    return this.send(id, { type: 'pause' });
  }

  resume(id: string): Promise<Answer> {
    return this.send(id, { type: 'resume' });
  }

  /** Nothing that was decided and has not left goes out any more. */
  cancel(id: string, reason?: string): Promise<Answer> {
    return this.send(id, { type: 'cancel', ...(reason === undefined ? {} : { reason }) });
  }

  /**
   * Writes to the contact by hand. Fulfils once the channel has taken the message; when it does not, nothing has changed
   * and nothing is in the transcript.
   */
  async intervene(id: string, text: string): Promise<Answer> {
    this.#requireRunning();
    return this.#byHand.write(id, text);
  }

  /** Events from now on, each once it is stored. */
  events(filter: EventFilter = {}): AsyncIterableIterator<Event> {
    return this.#streams.subscribe(filter) as unknown as AsyncIterableIterator<Event>;
  }

  /** How many instances are awake. */
  get activeCount(): number {
    return this.#activeInstances.size;
  }

  /**
   * Waits until nothing is under way, but not longer than a while: no turn, no message, nobody whose contact has become
   * free. What waits for a person or a timer is not under way.
   *
   * @param options `within` is in milliseconds; 10,000 when left out
   * @returns whether nothing is
   */
  async settle({ within = 10_000 }: { readonly within?: number } = {}): Promise<boolean> {
    const deadline = Date.now() + within;
    for (;;) {
      const runners = await this.#activeInstances.all();
      if (this.#callingNext === 0 && runners.every(({ isIdle }) => isIdle)) return true;
      if (Date.now() >= deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /**
   * Takes nothing more, lets turns in flight come to their end for a while, parks the others, and gives the store up. A
   * parked turn goes on where it was when the store is opened again, with the same keys (H4).
   *
   * @param options `within` is in milliseconds; 10,000 when left out
   */
  override stop({ within = 10_000 }: { readonly within?: number } = {}): Promise<void> {
    return (this.#stopping ??= this.#stop(within));
  }

  /** Takes up what was under way when the store was last given up. Use `createHost`. */
  recover(): Promise<void> {
    return recover({
      store: this.store,
      library: this.#library,
      activeInstances: this.#activeInstances,
      contactQueues: this.#contactQueues,
      timekeeper: this.#timekeeper,
      lastAlive: this.#lastAlive,
      onError: (error, doing) => this.#trouble(error, doing),
    });
  }

  #publish(events: readonly HostEvent[]): void {
    this.#byHand.hear(events);
    this.#streams.publish(events);
  }

  #afterCommit({ instance }: Runner, { change, events }: Decided): void {
    for (const { at } of change?.timers ?? []) this.#timekeeper.note(at);
    const { contact, state } = instance;
    if (contact === undefined || state.holds) return;
    const hasMoved = events.some(
      ({ source, event }) => source === 'lifecycle' && event.type === 'state.entered',
    );
    if (hasMoved) this.#callNext(contact);
  }

  #callNext(contact: string): void {
    this.#callingNext += 1;
    this.#contactQueues
      .callNext(contact)
      .catch((error: unknown) =>
        this.#trouble(error, `calling who waits for ${JSON.stringify(contact)}`),
      )
      .finally(() => (this.#callingNext -= 1));
  }

  async #fire({ id, key }: DueTimer): Promise<void> {
    if (id.startsWith(checkpointPrefix)) return this.#checkpoints.forget(id);
    const output = { firedAt: this.#clock.world.now() };
    await this.#activeInstances.use(id, (runner) =>
      runner.step((instance) => instance.settle(key, { output })),
    );
  }

  async #placeOf(summary: RecordSummary): Promise<QueuePosition | undefined> {
    try {
      const { store } = this;
      return await placeOf(summary, {
        store,
        library: this.#library,
        activeInstances: this.#activeInstances,
      });
    } catch (error) {
      this.#trouble(error, `reading the instance ${JSON.stringify(summary.id)}`);
      return undefined;
    }
  }

  /** An instance could not go on: it is taken up again from the store, after a while. */
  #revive(id: string, error: unknown): void {
    this.#trouble(error, `carrying the instance ${JSON.stringify(id)}`);
    if (this.#stopping) return;
    const at = this.#clock.world.now() + pauseAfterTrouble;
    const call = { signal: this.#reviving.signal, onText: () => {} };
    Promise.resolve(this.#clock.timer({ key: 'revive', at }, call))
      .then(() => this.#activeInstances.use(id, () => {}))
      .catch((reason: unknown) => {
        if (!this.#stopping) this.#trouble(reason, `waking the instance ${JSON.stringify(id)}`);
      });
  }

  async #stop(within: number): Promise<void> {
    this.#timekeeper.stop();
    this.#reviving.abort();
    await this.settle({ within });
    this.#deliveries.stop();
    for (const runner of await this.#activeInstances.all()) {
      runner.drop();
      await runner.settled;
    }
    this.#byHand.end(
      'The host has stopped before the channel has taken it; the next one hands it over.',
    );
    await this.#lastAlive.end();
    this.#streams.end();
    await this.store.close();
  }

  #requireRunning(): void {
    if (this.#stopping)
      throw new HostError('host/stopped', 'The host has stopped and takes nothing more.');
  }

  #trouble(error: unknown, doing: string): void {
    // What was going on when the host stopped is parked, and taken up again by the next one.
    if (this.#stopping && error instanceof StoreError && error.code === 'store/closed') return;
    const { onError } = this.#options;
    if (onError) return onError(error, doing);
    const reason = error instanceof Error ? error.message : String(error);
    // oxlint-disable-next-line no-console -- It concerns nobody who waits, and must not be lost.
    console.error(`dramaturg: ${doing} failed: ${reason}`);
  }
}

const pauseAfterTrouble = 1_000;
