import { setTimeout as wait } from 'node:timers/promises';
import type { HostEvent, ReaderPosition } from '@dramaturg/host';
import { badRequest, isUnknownInstance, ReaderRecord } from '@dramaturg/host/engine';
import type { Ingress } from '../restate/ingress.ts';
import { InstanceEvents, pauseAfter, withAncestors } from './journal-follower.ts';
import type { RestateStore } from './restate-store.ts';

export interface RestateReaderOptions {
  readonly store: RestateStore;
  readonly ingress: Ingress;
  readonly toInstance: (
    id: string,
    handler: string,
  ) => { readonly service: string; readonly key: string; readonly handler: string };
  readonly now: () => number;
}

/** Number of journal lines that are read at once. */
const pageLength = 500;
/** Number of instances that are read in parallel: each answer of Restate takes milliseconds. */
const readAtOnce = 16;
/** Number of instances that store a reader's position in parallel. */
const savedAtOnce = 16;

/**
 * The position of a reader on Restate. Instances have no common order there, so each stores the number of its lines that were
 * read. It is erased with the instance, and its cost does not depend on the number of instances. The cursor is the time from
 * which events are read, and never changes.
 */
export class RestateReaderPosition implements ReaderPosition {
  readonly #options: RestateReaderOptions;
  readonly #name: string;
  readonly #record: ReaderRecord;

  /** @throws HostError `host/bad-request` */
  constructor(name: string, options: RestateReaderOptions) {
    this.#options = options;
    this.#name = name;
    this.#record = new ReaderRecord(options.store, name, options.now);
  }

  load(): Promise<string | undefined> {
    return this.#record.load();
  }

  /** The string is stored first: it says what is in progress. */
  async save(text: string, read: ReadonlyMap<string, number>): Promise<void> {
    await this.#record.save(text);
    const entries = [...read];
    for (let from = 0; from < entries.length; from += savedAtOnce)
      await Promise.all(
        entries.slice(from, from + savedAtOnce).map(([id, lines]) => this.#save(id, lines)),
      );
  }

  async #save(id: string, lines: number): Promise<void> {
    const { ingress, toInstance } = this.#options;
    try {
      await ingress.call(toInstance(id, 'noteRead'), { reader: this.#name, lines });
    } catch (error) {
      // The instance was erased.
      if (!isUnknownInstance(error)) throw error;
    }
  }

  async begin(fromBeginning: boolean): Promise<string> {
    return `since ${fromBeginning ? 0 : this.#options.now()}`;
  }

  async *events(after: string, signal: AbortSignal): AsyncGenerator<HostEvent, void> {
    const { store } = this.#options;
    const since = sinceOf(after);
    const events = new InstanceEvents(store);
    const read = new Map(await store.linesRead(this.#name));
    while (!signal.aborted) {
      const begun = performance.now();
      try {
        for await (const event of this.#newEvents(events, read, since)) {
          if (signal.aborted) return;
          yield event;
        }
      } catch (error) {
        if (Object(error).code === 'store/closed') throw error;
        // Restate cannot be reached now. The lines are read at the next poll.
      }
      await wait(pauseAfter(begun), undefined, { signal }).catch(() => {});
    }
  }

  /** @param read the number of lines read of each instance: updated once the events are given */
  async *#newEvents(
    events: InstanceEvents,
    read: Map<string, number>,
    since: number,
  ): AsyncGenerator<HostEvent, void> {
    const all = await this.#options.store.journalLengths();
    const ids = new Set(all.map(({ id }) => id));
    for (const id of read.keys()) {
      if (ids.has(id)) continue;
      read.delete(id);
      events.forget(id);
    }
    for (const { id, lines, updatedAt } of all)
      if (!read.has(id)) read.set(id, updatedAt < since ? lines : 0);
    const changed = all.filter(({ id, lines }) => read.get(id)! < lines);
    const pageOf = ({ id, lines }: { readonly id: string; readonly lines: number }) =>
      readPage(events, id, { from: read.get(id)!, lines, since });
    for (let first = 0; first < changed.length; first += readAtOnce) {
      const some = changed.slice(first, first + readAtOnce);
      const pages = await Promise.all(some.map(pageOf));
      for (const [index, each] of some.entries())
        for (let page = pages[index]; page; page = await pageOf(each)) {
          yield* page.events;
          read.set(each.id, page.end);
        }
    }
  }
}

/** Reads the next lines of an instance as events; undefined when all are read, or when it was erased. */
async function readPage(
  events: InstanceEvents,
  id: string,
  { from, lines, since }: { readonly from: number; readonly lines: number; readonly since: number },
): Promise<{ readonly events: readonly HostEvent[]; readonly end: number } | undefined> {
  if (from >= lines) return undefined;
  const end = Math.min(from + pageLength, lines);
  return unlessErased(async () => {
    const own = await events.read(id, { from, end }, (at) => at >= since);
    const { within } = await events.originOf(id);
    return { events: withAncestors(own, within), end };
  });
}

async function unlessErased<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isUnknownInstance(error) || Object(error).code === 'store/unknown') return undefined;
    throw error;
  }
}

function sinceOf(cursor: string): number {
  const [, since] = /^since (\d{1,15}(?:\.\d{1,9})?)$/.exec(cursor) ?? [];
  if (since === undefined)
    throw badRequest(
      `The position of the reader is not one of a host on Restate: ${JSON.stringify(cursor.slice(0, 100))}.`,
    );
  return Number(since);
}
