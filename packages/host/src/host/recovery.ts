import { type Library, refOf } from '../definitions/library.ts';
import type { RecordSummary, Store } from '../store/contract.ts';
import { type LastAlive, setsTimersAnew } from './last-alive.ts';
import type { Lines } from './lines.ts';
import { pagesOf } from '../store/pages.ts';
import { queueStatesOf } from './queue-states.ts';
import type { Timekeeper } from './timekeeper.ts';
import type { Waking } from './waking.ts';

export interface RecoveryOptions {
  readonly store: Store;
  readonly library: Library;
  readonly waking: Waking;
  readonly lines: Lines;
  readonly timekeeper: Timekeeper;
  readonly lastAlive: LastAlive;
  readonly onTrouble: (error: unknown, doing: string) => void;
}

/**
 * Takes up what was under way when the store was last given up, however that came about: events that were stored and not
 * handled, calls and messages (H4); then timers that are overdue, in due order (H5), once lifecycles have been told of the
 * restart, which may set theirs anew; then the lines of contacts, because a crash may have come between the end of one
 * instance and the turn of the next.
 */
export async function recover(options: RecoveryOptions): Promise<void> {
  const { library, lastAlive, timekeeper } = options;
  await library.learn();
  await resumePending(options);
  await loadEditions(options);
  const stoppedAt = await lastAlive.begin();
  if (stoppedAt !== undefined) await tellOfRestart(options, stoppedAt);
  await timekeeper.catchUp();
  await callWaiting(options);
}

/**
 * What restarts and lines mean is in lifecycles. A host that was given no definitions has those that its instances are
 * pinned to all the same, and nothing may have asked for them so far.
 */
async function loadEditions({ store, library, onTrouble }: RecoveryOptions): Promise<void> {
  for await (const records of pagesOf((page) => store.list({ kind: 'definition' }, page))) {
    for (const { id } of records) {
      const definition = refOf(id);
      const alive = { kind: 'instance', definition, ended: false };
      const { items } = await store.list(alive, { limit: 1 });
      if (items.length === 0) continue;
      try {
        const { life } = await library.edition(definition);
        if (life) await library.edition(life);
      } catch (error) {
        onTrouble(error, `reading the definition ${JSON.stringify(definition.name)}`);
      }
    }
  }
}

async function resumePending({ store, waking, onTrouble }: RecoveryOptions): Promise<void> {
  for await (const ids of pagesOf((page) => store.pending(page))) {
    await Promise.all(
      ids.map(async (id) => {
        try {
          await waking.use(id, (runner) => runner.settled);
        } catch (error) {
          onTrouble(error, `waking the instance ${JSON.stringify(id)}`);
        }
      }),
    );
  }
}

/** Lifecycles whose timers do not keep to their deadline set them anew. */
async function tellOfRestart(options: RecoveryOptions, stopped_at: number): Promise<void> {
  const { store, waking, onTrouble } = options;
  for await (const records of pagesOf((page) =>
    store.list({ kind: 'instance', ended: false }, page),
  )) {
    for (const record of records) {
      try {
        if (!(await asksForRestart(options, record))) continue;
        const event = { type: 'instance.recovered', stopped_at };
        await waking.use(record.id, (runner) => runner.receive(event));
      } catch (error) {
        onTrouble(error, `waking the instance ${JSON.stringify(record.id)}`);
      }
    }
  }
}

async function asksForRestart(
  { library }: RecoveryOptions,
  { definition, timers }: RecordSummary,
): Promise<boolean> {
  // Only a timer of the lifecycle itself is concerned. A turn that was under way goes on, so nothing of it is lost.
  if (!definition || !timers.some(({ key }) => key.startsWith('lifecycle:'))) return false;
  const edition = await library.edition(definition);
  const { chart } = edition.life ? await library.edition(edition.life) : edition;
  return setsTimersAnew(chart);
}

async function callWaiting({ store, library, lines }: RecoveryOptions): Promise<void> {
  const states = new Set(library.charts().flatMap((chart) => [...queueStatesOf(chart)]));
  const contacts = new Set<string>();
  for (const status of states) {
    const waiting = { kind: 'instance', ended: false, status };
    for await (const records of pagesOf((page) => store.list(waiting, page)))
      for (const { contact } of records) if (contact !== undefined) contacts.add(contact);
  }
  for (const contact of contacts) await lines.callNext(contact);
}
