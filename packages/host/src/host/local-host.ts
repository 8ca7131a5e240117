import type { EventObject, JsonObject } from '@dramaturg/compiler';
import { realClock } from '../clock/real.ts';
import type { ErasureReceipt } from '../erasure/receipt.ts';
import type { DeliveryReport } from '../instance/delivery-reports.ts';
import type { Answer, HostEvent } from '../instance/event.ts';
import { isOwnEvent } from '../instance/own-events.ts';
import type { Store } from '../store/contract.ts';
import { announce } from './announcement.ts';
import { composeHost, type HostParts } from './compose.ts';
import { beginning, cursorAt } from './event-cursor.ts';
import type { EventFilter } from './event-streams.ts';
import { HostCommands } from './host-commands.ts';
import type { WaitOptions } from './host.ts';
import type { DefinitionsToStart, PreparedStart, Started } from './instance-starter.ts';
import { type MigrateOptions, migrateInstance, undoMigration } from './migrating.ts';
import { cpuTimeOfProcess } from './loop-monitor.ts';
import type { InterveneOptions } from './operator.ts';
import type { AddressedStart, AtCheckpoint, AtStep, HostOptions } from './options.ts';
import { type ReaderPosition, ReaderRecord } from './reader-position.ts';
import { badRequest, requireObject } from './request.ts';
import type { Routed } from './routed.ts';
import { actingWhileOwned, storeWhileOwned } from './while-owned.ts';

/**
 * The host of one machine: the only owner of a store.
 *
 * Carries out the commands; the parts behind them are built in compose.ts. The way of a message:
 * `receive` → `MessageRouter.route` → `Runner.receive` → `LiveInstance.decideEvent` → commit → apply → `Lane.add` →
 * `Runner.makeCall` → commit → apply → `Lane.add` → `Runner.sendNext`.
 *
 * While it runs, the work of the last host is resumed in the background.
 */
export class LocalHost<Event extends object = HostEvent> extends HostCommands<Event> {
  readonly #parts: HostParts;
  #recovering: Promise<void> = Promise.resolve();

  /** Use `createHost`. */
  constructor(opened: Store, given: HostOptions) {
    const { ownership } = opened;
    const options = actingWhileOwned(given, ownership);
    const store = storeWhileOwned(opened);
    const { clock = realClock() } = options;
    const { behaviours, ports } = options;
    const { channels } = given;
    super(store, clock.world.now, { behaviours, memoriesOf: ports?.memoriesOf, channels });
    this.#parts = composeHost({
      store,
      options: { ...options, clock },
      cpuTime: options.clock?.world.now ?? cpuTimeOfProcess,
      reader: this,
      isStopping: () => this.isStopping,
      requireRunning: () => this.requireRunning(),
    });
    ownership.lost.addEventListener('abort', () => void this.#onLoss());
  }

  protected get commandParts(): HostParts {
    return this.#parts;
  }

  get activeCount(): number {
    return this.#parts.activeInstances.size;
  }

  protected startNow(
    options: AddressedStart,
    load: () => Promise<DefinitionsToStart>,
  ): Promise<Started> {
    return this.#parts.starter.start(load, options);
  }

  protected sendNow(id: string, event: JsonObject & EventObject): Promise<Answer> {
    return this.#parts.activeInstances.use(id, (runner) => {
      if (runner.instance.performs && isOwnEvent(event.type))
        throw badRequest(`"${event.type}" is an event that only the host sends to its instances.`);
      return runner.receive(event);
    });
  }

  protected reportNow(id: string, report: Omit<DeliveryReport, 'instance'>): Promise<Answer> {
    return this.#parts.activeInstances.use(id, (runner) =>
      runner.step((instance) => instance.decideReported(report)),
    );
  }

  protected routeNow(
    contact: string,
    event: JsonObject & EventObject,
    start: PreparedStart | undefined,
  ): Promise<Routed> {
    return this.#parts.router.route(contact, event, start);
  }

  protected async forkNow(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    const { forking, starter, timekeeper, publish } = this.#parts;
    if (!('step' in at)) {
      const { definition, order } = await forking.atCheckpoint(id, at);
      return starter.start(async () => ({ definition, needs: [] }), order);
    }
    const { runner, timers, event, journalLength } = await forking.atStep(id, at);
    publish(event.instance, [{ ...event, cursor: cursorAt(journalLength, event.at) }]);
    for (const timer of timers) timekeeper.note(timer.at);
    return { id: event.instance, state: runner.stored.status };
  }

  protected migrateNow(id: string, options: MigrateOptions): Promise<Answer> {
    return migrateInstance(this.#parts, id, options);
  }

  protected undoNow(id: string): Promise<Answer> {
    return undoMigration(this.#parts, id);
  }

  protected interveneNow(id: string, text: string, act: InterveneOptions): Promise<Answer> {
    return this.#parts.byHand.write(id, text, act);
  }

  protected eraseNow(
    contact: string,
    running: 'refuse' | 'end',
    rewrite: boolean,
  ): Promise<ErasureReceipt> {
    return this.#parts.eraser.contact(contact, running, rewrite);
  }

  protected eventsNow(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    return this.#parts.subscriptions.subscribe(filter);
  }

  protected cursorNow(filter: Pick<EventFilter, 'instance'>): Promise<string> {
    return this.#parts.subscriptions.cursor(filter);
  }

  readerPosition(name: string): ReaderPosition {
    const record = new ReaderRecord(this.store, name, () => this.#parts.schedule.now);
    return {
      load: () => record.load(),
      save: (text) => record.save(text),
      begin: async (fromBeginning) => (fromBeginning ? beginning : this.cursorNow({})),
      events: (after, signal) => this.eventsNow({ after, signal }),
    };
  }

  protected announceNow(url: string | undefined): Promise<void> {
    return announce(this.store, url, this.#parts.schedule.now);
  }

  protected override requireWritable(): Promise<void> {
    return this.#parts.writeHealth.check();
  }

  async settle(options: WaitOptions = {}): Promise<boolean> {
    const { activity, schedule } = this.#parts;
    const { within = schedule.settleMs } = requireObject(options, 'options of the wait');
    return activity.settled(within, schedule);
  }

  /** Resumes the work that the last host left unfinished, in the background. Use `createHost`. */
  async recover(): Promise<void> {
    const { library, recovery, quarantine, activity, subscriptions } = this.#parts;
    await subscriptions.open();
    await library.learn();
    // A store that cannot be written now can be read, and may be writable later.
    await this.announceNow(undefined).catch((error: unknown) =>
      this.#parts.errors.report(error, 'removing the address of the last host'),
    );
    await recovery.deleteIncompleteForks();
    await quarantine.begin();
    this.#recovering = activity.during(() => recovery.run());
    this.#parts.retention?.start();
  }

  protected async stopNow(within: number): Promise<void> {
    const { timekeeper, recovery, reviver, activeInstances, byHand, forking } = this.#parts;
    await forking.stop();
    await this.#parts.retention?.stop();
    timekeeper.stop();
    recovery.stop();
    reviver.stop();
    await this.settle({ within });
    this.#parts.quarantine.stop();
    this.#parts.schedule.stop();
    // It loads instances.
    await this.#recovering;
    for (const runner of await activeInstances.all()) {
      runner.drop();
      await runner.settled;
    }
    byHand.end(
      'The host stopped before the channel accepted the message. The next host delivers it.',
    );
    await this.#parts.quarantine
      .end()
      .catch((error: unknown) =>
        this.#parts.errors.report(error, 'noting that nothing is decided'),
      );
    await this.#parts.lastAlive.end();
    await this.#parts.subscriptions.end();
    this.#parts.errors.flush();
    await this.store.close();
  }

  /** Running calls are aborted, and commands in progress reject when they reach the store. */
  async #onLoss(): Promise<void> {
    const { report } = this.#parts.errors;
    report(this.loss, 'keeping the store');
    await this.stop({ within: 0 }).catch((error: unknown) => report(error, 'stopping the host'));
  }
}
