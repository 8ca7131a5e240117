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
import type { StoreError } from '../store/errors.ts';
import { composeHost, type HostParts } from './compose.ts';
import { type DecisionGiven, decisionNames, fateOf } from './decisions.ts';
import type { EventFilter } from './event-streams.ts';
import type { Host, ReceivedMessage, WaitOptions } from './host.ts';
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
import { actingWhileOwned, storeWhileOwned } from './while-owned.ts';

/**
 * The host of one machine: the only owner of a store.
 *
 * Owns the commands; the parts behind them are built in compose.ts. The way of a message:
 * `receive` → `MessageRouter.route` → `Runner.receive` → `LiveInstance.decideEvent` → commit → apply → `Lane.add` →
 * `Runner.makeCall` → commit → apply → `Lane.add` → `Runner.sendNext`.
 *
 * States: running (the work of the last host is resumed in the background), stopping (`stop` was called; commands are refused).
 */
export class LocalHost<Event extends object = HostEvent>
  extends InstanceReader
  implements Host<Event>
{
  declare protected readonly store: Store;
  readonly #parts: HostParts;
  #stopping: Promise<void> | undefined;
  #recovering: Promise<void> = Promise.resolve();
  readonly stopped: Promise<StoreError | undefined>;
  #end: (loss: StoreError | undefined) => void = () => {};

  /** Use `createHost`. */
  constructor(opened: Store, given: HostOptions) {
    const { ownership } = opened;
    const options = actingWhileOwned(given, ownership);
    const store = storeWhileOwned(opened);
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
    this.stopped = new Promise((resolve) => (this.#end = resolve));
    ownership.lost.addEventListener('abort', () => void this.#onLoss());
  }

  get definitions(): readonly string[] {
    return this.#parts.library.names;
  }

  get activeCount(): number {
    return this.#parts.activeInstances.size;
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
    const { library, starter } = this.#parts;
    return starter.start(async () => {
      const needs: LoadedDefinition[] = [];
      for (const name of options.needs ?? []) needs.push(await library.latest(name));
      return { definition: await library.latest(definition), needs };
    }, options);
  }

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

  async receive(message: ReceivedMessage): Promise<Routed> {
    this.#requireRunning();
    requireReceived(message);
    const { contact, ...fields } = message;
    const event = jsonOf({ type: 'message.received', ...fields }, 'message');
    return this.#parts.router.route(contact, event as JsonObject & EventObject);
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

  cancel(id: string, reason?: string): Promise<Answer> {
    return this.send(id, { type: 'cancel', ...(reason === undefined ? {} : { reason }) });
  }

  async intervene(id: string, text: string): Promise<Answer> {
    this.#requireRunning();
    return this.#parts.byHand.write(id, text);
  }

  async erase(options: EraseOptions): Promise<ErasureReceipt> {
    this.#requireRunning();
    requireKnown(options, ['contact', 'running'], 'options of the erase');
    const { contact, running = 'refuse' } = options;
    if (running !== 'refuse' && running !== 'end')
      throw badRequest(`"running" is "refuse" or "end", not ${JSON.stringify(running)}.`);
    return this.#parts.eraser.contact(requireContact(contact), running);
  }

  async backup(target: string): Promise<void> {
    this.#requireRunning();
    await this.store.backup(target);
  }

  events(filter: EventFilter = {}): AsyncIterableIterator<Event> {
    return this.#parts.streams.subscribe(filter) as unknown as AsyncIterableIterator<Event>;
  }

  async settle({ within = 10_000 }: WaitOptions = {}): Promise<boolean> {
    const { activity, schedule } = this.#parts;
    return activity.settled(within, schedule);
  }

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
    this.#end(this.#loss);
  }

  get #loss(): StoreError | undefined {
    return this.store.ownership.lost.reason as StoreError | undefined;
  }

  /** Running calls are aborted, and commands in progress reject when they reach the store. */
  async #onLoss(): Promise<void> {
    const { report } = this.#parts.errors;
    report(this.#loss, 'keeping the store');
    await this.stop({ within: 0 }).catch((error: unknown) => report(error, 'stopping the host'));
  }

  #requireRunning(): void {
    if (this.#loss) throw this.#loss;
    if (this.#stopping)
      throw new HostError('host/stopped', 'The host has stopped and accepts no more commands.');
  }
}
