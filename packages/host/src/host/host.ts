import type { Chart, EventObject, JsonObject } from '@dramaturg/compiler';
import { realClock } from '../clock/real.ts';
import type { Definition } from '../definitions/definition.ts';
import type { LoadedDefinition } from '../definitions/library.ts';
import type { EraseOptions } from '../erasure/eraser.ts';
import type { ErasureReceipt } from '../erasure/receipt.ts';
import { HostError } from '../errors.ts';
import { decisionNotOpen } from '../instance/answer-question.ts';
import type { Answer, HostEvent } from '../instance/event.ts';
import { isOwnEvent } from '../instance/own-events.ts';
import type { Store } from '../store/contract.ts';
import { composeHost, type HostParts } from './compose.ts';
import { type DecisionGiven, decisionNames, fateOf } from './decisions.ts';
import type { EventFilter } from './event-streams.ts';
import { InstanceReader } from './instance-reader.ts';
import type { Started } from './instance-starter.ts';
import { cpuTimeOfProcess } from './loop-monitor.ts';
import type { Routed } from './message-router.ts';
import {
  type AtCheckpoint,
  type AtStep,
  type HostOptions,
  type StartOptions,
  startOptionNames,
} from './options.ts';
import {
  badRequest,
  jsonOf,
  requireEvent,
  requireContact,
  requireFirstMessage,
  requireId,
  requireKnown,
  requireReceived,
} from './request.ts';

export interface WaitOptions {
  /** Milliseconds to wait at most. 10,000 when left out. */
  readonly within?: number;
}

/**
 * Runs instances of definitions as durable actors: one at a time for each contact, one event at a time for each instance,
 * and everything stored before it has an effect. See docs/host.md.
 *
 * Owns the commands; the parts behind them are built in compose.ts. The way of a message:
 * `receive` → `MessageRouter.route` → `Runner.receive` → `LiveInstance.decideEvent` → commit → apply → `Lane.add` →
 * `Runner.makeCall` → commit → apply → `Lane.add` → `Runner.sendNext`.
 *
 * States: running (the work of the last host is resumed in the background), stopping (`stop` was called; commands are refused).
 *
 * @typeParam Event the events of its instances: a facade that knows its formats knows their events
 */
export class Host<Event extends object = HostEvent> extends InstanceReader {
  declare protected readonly store: Store;
  readonly #parts: HostParts;
  #stopping: Promise<void> | undefined;
  #recovering: Promise<void> = Promise.resolve();

  /** Use `createHost`. */
  constructor(store: Store, options: HostOptions) {
    const { clock = realClock() } = options;
    const { behaviours, ports } = options;
    super(store, clock.world.now, { behaviours, memoriesOf: ports?.memoriesOf });
    this.#parts = composeHost({
      store,
      options: { ...options, clock },
      cpuTime: options.clock?.world.now ?? cpuTimeOfProcess,
      reader: this,
      isStopping: () => this.#stopping !== undefined,
      requireRunning: () => this.#requireRunning(),
    });
  }

  /** The names of the definitions that this host was given. The store may have more, of earlier hosts. */
  get definitions(): readonly string[] {
    return this.#parts.library.names;
  }

  /** How many instances are in memory. */
  get activeCount(): number {
    return this.#parts.activeInstances.size;
  }

  /**
   * The chart of the latest version of a definition. New instances start with it.
   *
   * @throws HostError `host/unknown-definition`
   */
  async chart(definition: string): Promise<Chart> {
    return (await this.#parts.library.latest(definition)).chart;
  }

  /**
   * Adds a definition. It replaces a definition with the same name for instances that start from now on.
   *
   * @throws LinkError, ChartError when the chart names code that its format does not have
   */
  define(definition: Definition): void {
    this.#requireRunning();
    this.#parts.library.add(definition);
  }

  /**
   * Starts an instance. Fulfils when the instance is stored; its first turn then runs by itself.
   *
   * With `message`, the contact has written first, and the first reply answers it. If the message is refused, nothing is
   * started.
   *
   * @throws InputError when the input of the definition or of its lifecycle does not fit
   * @throws HostError `host/unknown-definition`, `host/exists`, `host/bad-request`, `host/unknown-option`,
   *   `host/message-refused`
   */
  async start(definition: string, options: StartOptions = {}): Promise<Started> {
    this.#requireRunning();
    requireKnown(options, startOptionNames, 'options of the start');
    requireFirstMessage(options.message);
    const { library, starter } = this.#parts;
    return starter.start(async () => {
      const needs: LoadedDefinition[] = [];
      for (const name of options.needs ?? []) needs.push(await library.latest(name));
      return { definition: await library.latest(definition), needs };
    }, options);
  }

  /**
   * Sends an event to an instance: `message.received`, `decision.made`, or an event of its definition. Fulfils when its
   * effect is stored (H1). An event that is not accepted changes nothing, and the answer says why.
   *
   * @throws HostError `host/unknown-instance`, `host/bad-request`
   */
  async send(id: string, event: EventObject): Promise<Answer> {
    this.#requireRunning();
    const copy = jsonOf(event, 'event') as JsonObject & EventObject;
    requireEvent(copy);
    return this.#parts.activeInstances.use(id, (runner) => {
      if (runner.instance.performs && isOwnEvent(copy.type))
        throw badRequest(`"${copy.type}" is an event that only the host sends to its instances.`);
      return runner.receive(copy);
    });
  }

  /**
   * Receives a message from outside, for the instance that holds the contact. When no instance does, the message is not
   * kept, and the answer has `instance: null` and the code `host/no-holder`.
   *
   * Messages and starts of one contact are handled in the order of the calls: a message after a start goes to the started
   * instance, or to the one that it waits for; a message before a start has no holder if the contact was free.
   *
   * @param message `id` is the channel's own: messages with the same id are one message
   * @throws HostError `host/bad-request`, `host/unknown-option`
   */
  async receive(message: {
    readonly contact: string;
    readonly text: string;
    readonly id?: string;
  }): Promise<Routed> {
    this.#requireRunning();
    requireReceived(message);
    const { contact, ...fields } = message;
    const event = jsonOf({ type: 'message.received', ...fields }, 'message');
    return this.#parts.router.route(contact, event as JsonObject & EventObject);
  }

  /**
   * Answers a question that an instance has asked a person. A question is answered once, in the state that asked it. A
   * decision that is refused changes nothing, and the answer says why: the option is not offered, a field is not editable,
   * the person may not decide, or the question is not open any more.
   *
   * @param decision the instance and the id of the decision, as `decisions` lists it: `order-1/pac454m8`
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
   * Starts an instance as a copy of another one, which is not changed and may have ended. At a save point, the copy goes on
   * with calls and timers of its own. After a step (counted in the journal from 1), open calls are made and due timers fire;
   * the copy has no contact, and its messages are discarded.
   *
   * @throws HostError `host/unknown-instance`, `host/unknown-checkpoint`, `host/bad-request`, `host/exists`
   */
  async fork(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    this.#requireRunning();
    const { id: copy = this.#parts.uuid() } = at;
    requireId(copy);
    return this.#parts.copies.make(id, copy, () => this.#fork(id, { ...at, id: copy }));
  }

  async #fork(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    const { forking, starter, timekeeper, publish } = this.#parts;
    if (!('step' in at)) {
      const { definition, order } = await forking.atCheckpoint(id, at);
      return starter.start(async () => ({ definition, needs: [] }), order);
    }
    const { runner, timers, event } = await forking.atStep(id, at);
    publish([event]);
    for (const timer of timers) timekeeper.note(timer.at);
    return { id: event.instance, state: runner.stored.status };
  }

  pause(id: string): Promise<Answer> {
    return this.send(id, { type: 'pause' });
  }

  resume(id: string): Promise<Answer> {
    return this.send(id, { type: 'resume' });
  }

  /** Ends an instance. Messages that were decided and not sent yet are discarded. */
  cancel(id: string, reason?: string): Promise<Answer> {
    return this.send(id, { type: 'cancel', ...(reason === undefined ? {} : { reason }) });
  }

  /**
   * Writes to the contact by hand. Fulfils when the channel has accepted the message. If it does not, nothing has changed,
   * and the transcript does not have the message.
   */
  async intervene(id: string, text: string): Promise<Answer> {
    this.#requireRunning();
    return this.#parts.byHand.write(id, text);
  }

  /**
   * Erases everything about a contact: its instances with transcripts, journals and snapshots, their copies, the agents that
   * they have called, save points and memories. Then the store is compacted, so that no byte is left in its files. What was
   * interrupted is completed by repeating it. See docs/stores.md#a-persons-data
   *
   * @returns counts, without personal data
   * @throws InstancesRunningError with the instances that have not ended, unless `running` is `end`; HostError
   *   `host/cannot-erase`, `host/bad-request`, `host/unknown-option`
   */
  async erase(options: EraseOptions): Promise<ErasureReceipt> {
    this.#requireRunning();
    requireKnown(options, ['contact', 'running'], 'options of the erase');
    const { contact, running = 'refuse' } = options;
    if (running !== 'refuse' && running !== 'end')
      throw badRequest(`"running" is "refuse" or "end", not ${JSON.stringify(running)}.`);
    return this.#parts.eraser.contact(requireContact(contact), running);
  }

  /**
   * Copies the store as it is at one instant, while the host runs. The copy is a store of the same kind, and is verified.
   *
   * @param target a path that does not exist
   * @throws StoreError `store/exists`; `store/bad-request` for a store in memory
   */
  async backup(target: string): Promise<void> {
    this.#requireRunning();
    await this.store.backup(target);
  }

  /** Events from now on, each once it is stored. */
  events(filter: EventFilter = {}): AsyncIterableIterator<Event> {
    return this.#parts.streams.subscribe(filter) as unknown as AsyncIterableIterator<Event>;
  }

  /**
   * Waits until no turn, no message and no call-up of a waiting instance is in progress or waits for a slot, and until the
   * work of the last host is resumed. Instances that wait for a person or a timer do not count.
   *
   * @returns false when the time is up before that
   */
  async settle({ within = 10_000 }: WaitOptions = {}): Promise<boolean> {
    const { activity, schedule } = this.#parts;
    return activity.settled(within, schedule);
  }

  /**
   * Refuses further commands, lets running turns finish for a while, parks the others, and closes the store. A parked turn
   * resumes with the same keys when the store is opened again (H4).
   */
  override stop({ within = 10_000 }: WaitOptions = {}): Promise<void> {
    return (this.#stopping ??= this.#stop(within));
  }

  /** Resumes the work that the last host left unfinished, in the background. Use `createHost`. */
  async recover(): Promise<void> {
    const { library, recovery, activity } = this.#parts;
    await library.learn();
    await recovery.deleteIncompleteForks();
    this.#recovering = activity.during(() => recovery.run());
    this.#parts.retention?.start();
  }

  async #stop(within: number): Promise<void> {
    const { timekeeper, recovery, reviver, activeInstances, byHand, forking } = this.#parts;
    await forking.stop();
    await this.#parts.retention?.stop();
    timekeeper.stop();
    recovery.stop();
    reviver.stop();
    await this.settle({ within });
    this.#parts.schedule.stop();
    for (const runner of await activeInstances.all()) {
      runner.drop();
      await runner.settled;
    }
    await this.#recovering;
    byHand.end(
      'The host stopped before the channel accepted the message. The next host delivers it.',
    );
    await this.#parts.lastAlive.end();
    this.#parts.streams.end();
    this.#parts.errors.flush();
    await this.store.close();
  }

  #requireRunning(): void {
    if (this.#stopping)
      throw new HostError('host/stopped', 'The host has stopped and accepts no more commands.');
  }
}
