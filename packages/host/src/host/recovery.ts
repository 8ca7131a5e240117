import type { lifecycle } from '@dramaturg/compiler/format';
import { backoff } from '../admission/backoff.ts';
import { inSlices } from '../admission/in-slices.ts';
import type { Schedule } from '../admission/schedule.ts';
import { type Library, refOf } from '../definitions/library.ts';
import { onlyReminds } from '../instance/follow-up.ts';
import type { OutboxLetter } from '../instance/letter.ts';
import type { RecordFilter, RecordSummary, Store, StoreRecord } from '../store/contract.ts';
import { readPages } from '../store/pages.ts';
import type { ActiveInstances } from './active-instances.ts';
import { type CallLanes, callTicket } from './call-lanes.ts';
import { type ChannelLanes, messageTicket } from './channel-lane.ts';
import type { ContactQueues } from './contact-queues.ts';
import type { OnError } from './error-reporter.ts';
import { forkingStatus, isIncompleteFork } from './fork-record.ts';
import { type LastAlive, mayResetTimers } from './last-alive.ts';
import { queueStatesOf } from './queue-states.ts';
import type { Quarantine } from './quarantine.ts';
import { isPermanent, type Reviver } from './reviver.ts';
import type { Timekeeper } from './timekeeper.ts';
import { stateOf } from '../instance/snapshot-parts.ts';

export interface RecoveryOptions {
  readonly store: Store;
  readonly library: Library;
  readonly activeInstances: ActiveInstances;
  readonly callLaneOf: CallLanes;
  readonly channelLaneOf: ChannelLanes;
  readonly contactQueues: ContactQueues;
  readonly timekeeper: Timekeeper;
  readonly lastAlive: LastAlive;
  readonly reviver: Reviver;
  readonly quarantine: Quarantine;
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly onError: OnError;
}

/**
 * Resumes the work that the last host left unfinished, after a stop or a crash:
 * 1. calls and messages (H4) wait for slots, by their names;
 * 2. overdue timers fire, in due order (H5), after lifecycles were notified of the restart, because they may reset their timers;
 * 3. queues of contacts move, because the crash may have been between the end of one instance and the turn of the next.
 *
 * It runs in the background, in slices, and keeps only names in memory. Any load of an instance resumes its stored work before
 * anything else. While the store fails, it repeats the failed read with backoff.
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  #isStopped = false;
  #endPause = () => {};

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Deletes the forks that the last host was still copying. Their call of `fork` never fulfilled, and they have no work. */
  async deleteIncompleteForks(): Promise<void> {
    const { store, onError } = this.#options;
    const wanted = { kind: 'instance', status: forkingStatus, ended: false };
    for await (const records of readPages((page) => store.list(wanted, page))) {
      for (const { id } of records) {
        try {
          const record = await store.read(id);
          if (record && isIncompleteFork(record)) await store.delete(id);
        } catch (error) {
          onError(error, `deleting the incomplete fork ${JSON.stringify(id)}`);
        }
      }
    }
  }

  /** Resumes the work. Fulfils when all work has begun or waits for its turn. */
  async run(): Promise<void> {
    const { lastAlive, timekeeper, schedule, onError } = this.#options;
    try {
      const begunAt = schedule.now;
      await this.#queuePending();
      await this.#loadDefinitions();
      const stoppedAt = await this.#untilAnswered(() => lastAlive.begin());
      if (stoppedAt !== undefined) await this.#notifyOfRestart(stoppedAt, begunAt);
      if (this.#isStopped) return;
      await timekeeper.catchUp();
      await this.#callUpWaiting();
    } catch (error) {
      onError(error, 'resuming the work of the last host');
    }
    this.#options.quarantine.isRecovering = false;
  }

  /** Stops recovery. The next host continues. */
  stop(): void {
    this.#isStopped = true;
    this.#endPause();
  }

  async #queuePending(): Promise<void> {
    const { store } = this.#options;
    for await (const ids of readPages((page) => this.#untilAnswered(() => store.pending(page)))) {
      await inSlices(ids, (id) => this.#unlessStopped(id, () => this.#queue(id)));
      if (this.#isStopped) return;
    }
  }

  async #queue(id: string): Promise<void> {
    const { store, activeInstances, quarantine } = this.#options;
    const record = await store.read(id);
    if (record?.kind !== 'instance') return;
    quarantine.watch(id);
    if (this.#queueLetters(record)) await activeInstances.use(id, (runner) => runner.carried);
  }

  /** @returns whether there are letters without a lane: to parents and children, or to continue */
  #queueLetters(record: StoreRecord): boolean {
    const { id, contact, outbox } = record;
    const { callLaneOf, channelLaneOf } = this.#options;
    const state = stateOf(record);
    const isReminder = onlyReminds(state);
    let waitsForNothing = false;
    for (const { body: stored } of outbox) {
      const body = stored as OutboxLetter;
      if (body.kind === 'call') callLaneOf(body.port).add(callTicket(id, contact, isReminder));
      else if (body.kind === 'message')
        channelLaneOf(body.to?.channel ?? state.channel).add(messageTicket(id, contact, body));
      else waitsForNothing = true;
    }
    return waitsForNothing;
  }

  /** Loads the pinned definitions of all instances: their lifecycles define what happens at restarts and in queues. */
  async #loadDefinitions(): Promise<void> {
    const { store, library, onError } = this.#options;
    const definitions = { kind: 'definition' };
    for await (const records of this.#pagesOf(definitions)) {
      for (const { id } of records) {
        const definition = refOf(id);
        const alive = { kind: 'instance', definition, ended: false };
        const { items } = await this.#untilAnswered(() => store.list(alive, { limit: 1 }));
        if (items.length === 0) continue;
        try {
          await library.lifecycleOf(definition);
        } catch (error) {
          onError(error, `reading the definition ${JSON.stringify(definition.name)}`);
        }
      }
    }
  }

  /**
   * Notifies the instances whose lifecycle resets its timers after a restart.
   *
   * @param begunAt instances that were created later have seen no restart
   */
  async #notifyOfRestart(stopped_at: number, begunAt: number): Promise<void> {
    const { activeInstances, library } = this.#options;
    const event = { type: 'instance.recovered', stopped_at } satisfies lifecycle.LifecycleEvent;
    const alive = { kind: 'instance', ended: false };
    for await (const records of this.#pagesOf(alive)) {
      await inSlices(records, (record) =>
        this.#unlessStopped(record.id, async () => {
          if (record.createdAt >= begunAt || !(await mayResetTimers(record, library))) return;
          await activeInstances.use(record.id, (runner) => runner.receive(event, 'host'));
        }),
      );
      if (this.#isStopped) return;
    }
  }

  async #callUpWaiting(): Promise<void> {
    const { library, contactQueues } = this.#options;
    const states = new Set(library.charts().flatMap((chart) => [...queueStatesOf(chart)]));
    const contacts = new Set<string>();
    for (const status of states) {
      const waiting = { kind: 'instance', ended: false, status };
      for await (const records of this.#pagesOf(waiting))
        for (const { contact } of records) if (contact !== undefined) contacts.add(contact);
    }
    await inSlices(contacts, async (contact) => {
      if (!this.#isStopped) await contactQueues.callUpNext(contact);
    });
  }

  #pagesOf(filter: RecordFilter): AsyncGenerator<readonly RecordSummary[]> {
    const { store } = this.#options;
    return readPages((page) => this.#untilAnswered(() => store.list(filter, page)));
  }

  /** Repeats a read of the store, unless it fails for good. */
  async #untilAnswered<Value>(read: () => Promise<Value>): Promise<Value> {
    const { schedule, random, onError } = this.#options;
    for (let failures = 1; ; failures += 1) {
      try {
        return await read();
      } catch (error) {
        if (isPermanent(error)) throw error;
        onError(error, 'resuming the work of the last host');
        await new Promise<void>((resolve) => {
          this.#endPause = resolve;
          schedule.after(backoff(failures, random), resolve);
          if (this.#isStopped) resolve();
        });
        if (this.#isStopped) throw error;
      }
    }
  }

  /** Does work for an instance. If the store fails, the instance is loaded later, and then resumes its work. */
  async #unlessStopped(id: string, work: () => Promise<void>): Promise<void> {
    if (this.#isStopped) return;
    try {
      await work();
    } catch (error) {
      this.#options.reviver.revive(id, error, 'loading');
    }
  }
}
