import {
  type EventObject,
  type JsonObject,
  type Port,
  type PortName,
  type Ports,
  portSchemas,
} from '@dramaturg/compiler';
import { badRequest } from '../errors.ts';
import { realClock } from '../clock/real.ts';
import type { ErasureReceipt } from '../erasure/receipt.ts';
import type { DeliveryReport } from '../instance/delivery-reports.ts';
import type { Answer, HostEvent } from '../instance/event.ts';
import { isOwnEvent } from '../instance/own-events.ts';
import { rememberNothing } from '../memory/memory-owner.ts';
import type { Store } from '../store/contract.ts';
import type { Ownership } from '../store/ownership.ts';
import { composeHost, type HostParts } from './compose.ts';
import { beginning, cursorAt } from './event-cursor.ts';
import type { EventFilter } from './event-streams.ts';
import { HostStore } from './host-store.ts';
import { Host, type HostEngine, HostState, type WaitOptions } from './host.ts';
import { announce } from './instance-reader.ts';
import type { DefinitionsToStart, Started } from './instance-starter.ts';
import { cpuTimeOfProcess } from './loop-monitor.ts';
import type { MessageGroups } from './message-groups.ts';
import { migrateInstance, type MigrateOptions, undoMigration } from './migrating.ts';
import type { InterveneOptions } from './operator.ts';
import type { AddressedStart, AtCheckpoint, AtStep, HostOptions } from './options.ts';
import { type ReaderPosition, ReaderRecord } from './reader-position.ts';
import type { Channels } from './request.ts';

/** The host of one machine: the only owner of a store. While it runs, the work of the last host is resumed in the background. */
export function hostOn<Event extends object = HostEvent>(
  opened: Store,
  given: HostOptions,
): Promise<Host<Event>> {
  const { clock = realClock(), behaviours, attachments, channels = {} } = given;
  const ports = portsWhileOwned(given.ports ?? {}, opened.ownership);
  const hostStore = new HostStore(opened, clock.world.now);
  const { store } = hostStore;
  const state = new HostState();
  return Host.open<Event>(
    {
      store,
      now: clock.world.now,
      state,
      behaviours,
      memoriesOf: ports.memoriesOf,
      attachments,
      channels,
    },
    (reader) => {
      const parts = composeHost({
        hostStore,
        options: { ...given, ports, clock },
        cpuTime: given.clock?.world.now ?? cpuTimeOfProcess,
        reader,
        isStopping: () => state.isStopping,
        requireRunning: state.requireRunning,
      });
      return new LocalEngine(store, parts, channels);
    },
  );
}

/**
 * Carries out commands with the parts that compose.ts builds. The way of a message: `receive` → `MessageGroups.route` →
 * `Runner.receive` → `LiveInstance.decideEvent` → commit → apply → `Lane.add` → `PortCalls.makeNext` → commit → apply →
 * `Lane.add` → `MessageSender.takeNext`.
 */
class LocalEngine implements HostEngine {
  readonly parts: HostParts;
  readonly startChannels: Channels;
  readonly #store: Store;
  #recovering: Promise<void> = Promise.resolve();

  constructor(store: Store, parts: HostParts, channels: Channels) {
    this.#store = store;
    this.parts = parts;
    this.startChannels = channels;
  }

  get messages(): MessageGroups {
    return this.parts.messages;
  }

  get activeCount(): number {
    return this.parts.activeInstances.size;
  }

  start(options: AddressedStart, load: () => Promise<DefinitionsToStart>): Promise<Started> {
    return this.parts.starter.start(load, options);
  }

  send(id: string, event: JsonObject & EventObject): Promise<Answer> {
    return this.parts.activeInstances.use(id, (runner) => {
      if (runner.instance.performs && isOwnEvent(event.type))
        throw badRequest(`"${event.type}" is an event that only the host sends to its instances.`);
      return runner.receive(event);
    });
  }

  report(id: string, report: Omit<DeliveryReport, 'instance'>): Promise<Answer> {
    return this.parts.activeInstances.use(id, (runner) =>
      runner.step((instance) => instance.decideReported(report)),
    );
  }

  async fork(id: string, at: AtStep | AtCheckpoint): Promise<Started> {
    const { forking, starter, timekeeper, publish } = this.parts;
    if (!('step' in at)) {
      const { definition, order } = await forking.atCheckpoint(id, at);
      return starter.start(async () => ({ definition, needs: [] }), order);
    }
    const { runner, timers, event, journalLength } = await forking.atStep(id, at);
    publish(event.instance, [{ ...event, cursor: cursorAt(journalLength, event.at) }]);
    for (const timer of timers) timekeeper.note(timer.at);
    return { id: event.instance, state: runner.stored.status };
  }

  migrate(id: string, options: MigrateOptions): Promise<Answer> {
    return migrateInstance(this.parts, id, options);
  }

  undoMigration(id: string): Promise<Answer> {
    return undoMigration(this.parts, id);
  }

  intervene(id: string, text: string, act: InterveneOptions): Promise<Answer> {
    return this.parts.byHand.write(id, text, act);
  }

  erase(contact: string, running: 'refuse' | 'end', rewrite: boolean): Promise<ErasureReceipt> {
    return this.parts.eraser.contact(contact, running, rewrite);
  }

  events(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    return this.parts.subscriptions.subscribe(filter);
  }

  cursor(filter: Pick<EventFilter, 'instance'>): Promise<string> {
    return this.parts.subscriptions.cursor(filter);
  }

  readerPosition(name: string): ReaderPosition {
    const record = new ReaderRecord(this.#store, name, () => this.parts.schedule.now);
    return {
      load: () => record.load(),
      save: (text) => record.save(text),
      begin: async (fromBeginning) => (fromBeginning ? beginning : this.cursor({})),
      events: (after, signal) => this.events({ after, signal }),
    };
  }

  announce(url: string | undefined): Promise<void> {
    return announce(this.#store, url, this.parts.schedule.now);
  }

  requireWritable(): Promise<void> {
    return this.parts.hostStore.requireWritable();
  }

  async settle({ within }: WaitOptions): Promise<boolean> {
    const { activity, schedule } = this.parts;
    return activity.settled(within ?? schedule.settleMs, schedule);
  }

  /** Resumes the work that the last host left unfinished, in the background. */
  async open(): Promise<void> {
    const { library, recovery, quarantine, activity, subscriptions } = this.parts;
    await subscriptions.open();
    await library.learn();
    // A store that cannot be written now can still be read, and may become writable later.
    await this.announce(undefined).catch((error: unknown) =>
      this.parts.errors.report(error, 'removing the address of the last host'),
    );
    await recovery.deleteIncompleteForks();
    await quarantine.begin();
    this.#recovering = activity.during(() => recovery.run());
    this.parts.retention?.start();
  }

  async stop(within: number): Promise<void> {
    const { timekeeper, recovery, reviver, activeInstances, byHand, forking } = this.parts;
    await forking.stop();
    await this.parts.retention?.stop();
    timekeeper.stop();
    recovery.stop();
    reviver.stop();
    await this.settle({ within });
    this.parts.quarantine.stop();
    this.parts.schedule.stop();
    // Recovery loads instances.
    await this.#recovering;
    for (const runner of await activeInstances.all()) {
      runner.halt({ texts: 'forget' });
      await runner.settled;
    }
    byHand.end(
      'The host stopped before the channel accepted the message. The next host delivers it.',
    );
    await this.parts.quarantine
      .end()
      .catch((error: unknown) => this.parts.errors.report(error, 'noting that nothing is decided'));
    await this.parts.lastAlive.end();
    await this.parts.subscriptions.end();
    this.parts.errors.flush();
    await this.#store.close();
  }
}

/**
 * Ports that act only while the host certainly owns its store: a stalled host must not repeat what the next host does. A call
 * that began before the loss may happen twice, with the same key, as after a crash.
 */
function portsWhileOwned<Given extends Partial<Ports>>(ports: Given, ownership: Ownership): Given {
  const guarded = Object.entries(ports).flatMap(([name, given]) => {
    // A port without effect needs no owner, and the eraser recognises `rememberNothing`.
    if (!Object.hasOwn(portSchemas, name) || given === rememberNothing) return [];
    const port = given as Port<PortName>;
    const own: Port<PortName> = (input, call) => {
      // The usual case does not wait, so that a port that computes is measured as one piece of work.
      if (ownership.isCertain()) return port(input, call);
      return ownership.confirm().then(() => {
        call.signal.throwIfAborted();
        return port(input, call);
      });
    };
    return [[name, own]];
  });
  return { ...ports, ...Object.fromEntries(guarded) };
}
