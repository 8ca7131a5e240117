import type { lifecycle } from '@dramaturg/compiler';
import { type Library, refOf } from '../definitions/library.ts';
import type { RecordSummary, Store } from '../store/contract.ts';
import { type LastAlive, resetsTimers } from './last-alive.ts';
import type { ContactQueues } from './contact-queues.ts';
import { readPages } from '../store/pages.ts';
import { queueStatesOf } from './queue-states.ts';
import type { Timekeeper } from './timekeeper.ts';
import type { ActiveInstances } from './active-instances.ts';

export interface RecoveryOptions {
  readonly store: Store;
  readonly library: Library;
  readonly activeInstances: ActiveInstances;
  readonly contactQueues: ContactQueues;
  readonly timekeeper: Timekeeper;
  readonly lastAlive: LastAlive;
  readonly onError: (error: unknown, doing: string) => void;
}

/**
 * Resumes the work that the last host left unfinished, after a stop or a crash:
 * 1. stored events that were not handled, calls and messages (H4);
 * 2. overdue timers, in due order (H5), after lifecycles were notified of the restart, since they may reset their timers;
 * 3. queues of contacts, because a crash may have come between the end of one instance and the turn of the next.
 */
export async function recover(options: RecoveryOptions): Promise<void> {
  const { library, lastAlive, timekeeper } = options;
  await library.learn();
  await resumePending(options);
  await loadDefinitions(options);
  const stoppedAt = await lastAlive.begin();
  if (stoppedAt !== undefined) await notifyOfRestart(options, stoppedAt);
  await timekeeper.catchUp();
  await callUpWaiting(options);
}

/** Loads the pinned definitions of all instances: their lifecycles say what restarts and queues mean. */
async function loadDefinitions({ store, library, onError }: RecoveryOptions): Promise<void> {
  for await (const records of readPages((page) => store.list({ kind: 'definition' }, page))) {
    for (const { id } of records) {
      const definition = refOf(id);
      const alive = { kind: 'instance', definition, ended: false };
      const { items } = await store.list(alive, { limit: 1 });
      if (items.length === 0) continue;
      try {
        const { lifecycle } = await library.load(definition);
        if (lifecycle) await library.load(lifecycle);
      } catch (error) {
        onError(error, `reading the definition ${JSON.stringify(definition.name)}`);
      }
    }
  }
}

async function resumePending({ store, activeInstances, onError }: RecoveryOptions): Promise<void> {
  for await (const ids of readPages((page) => store.pending(page))) {
    await Promise.all(
      ids.map(async (id) => {
        try {
          await activeInstances.use(id, (runner) => runner.settled);
        } catch (error) {
          onError(error, `loading the instance ${JSON.stringify(id)}`);
        }
      }),
    );
  }
}

/** Notifies the instances whose lifecycle resets its timers after a restart. */
async function notifyOfRestart(options: RecoveryOptions, stopped_at: number): Promise<void> {
  const { store, activeInstances, onError } = options;
  for await (const records of readPages((page) =>
    store.list({ kind: 'instance', ended: false }, page),
  )) {
    for (const record of records) {
      try {
        if (!(await resetsTimersOnRestart(options, record))) continue;
        const event = { type: 'instance.recovered', stopped_at } satisfies lifecycle.LifecycleEvent;
        await activeInstances.use(record.id, (runner) => runner.enqueue(event));
      } catch (error) {
        onError(error, `loading the instance ${JSON.stringify(record.id)}`);
      }
    }
  }
}

async function resetsTimersOnRestart(
  { library }: RecoveryOptions,
  { definition: ref, timers }: RecordSummary,
): Promise<boolean> {
  // Only timers of the lifecycle can be reset. An unfinished turn resumes, and loses no time.
  if (!ref || !timers.some(({ key }) => key.startsWith('lifecycle:'))) return false;
  const definition = await library.load(ref);
  const { chart } = definition.lifecycle ? await library.load(definition.lifecycle) : definition;
  return resetsTimers(chart);
}

async function callUpWaiting({ store, library, contactQueues }: RecoveryOptions): Promise<void> {
  const states = new Set(library.charts().flatMap((chart) => [...queueStatesOf(chart)]));
  const contacts = new Set<string>();
  for (const status of states) {
    const waiting = { kind: 'instance', ended: false, status };
    for await (const records of readPages((page) => store.list(waiting, page)))
      for (const { contact } of records) if (contact !== undefined) contacts.add(contact);
  }
  for (const contact of contacts) await contactQueues.callUpNext(contact);
}
