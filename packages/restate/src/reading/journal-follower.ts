import { setTimeout as wait } from 'node:timers/promises';
import type { EventFilter, HostEvent, ReaderPosition } from '@dramaturg/host';
import {
  badRequest,
  concurrently,
  cursorAt,
  EventStreams,
  isUnknownInstance,
  JournalStreams,
  MessageTexts,
  ReaderRecord,
  readJournal,
  Serial,
  stateOf,
  unlessErased,
} from '@dramaturg/host/engine';
import type { StoreReader, StoreRecord } from '@dramaturg/host/store';
import type { Ingress } from '../restate/ingress.ts';
import type { WrittenEvents } from '../work/event-feed.ts';
import type { RestateStore } from './restate-store.ts';

export interface JournalFollowerOptions {
  readonly store: StoreReader & Pick<RestateStore, 'journalLengths'>;
  /** The number of stored journal lines of an instance. */
  readonly lineCount: (instance: string) => Promise<number>;
  readonly now: () => number;
}

/** Maximum number of an instance's latest lines that are searched for lines since the subscription. */
const searchedMax = 200;

/** Number of lines that are read ahead of the subscriber. */
const linesAtOnce = 1_000;

/**
 * Follows the journals of instances, for one subscriber. Instances that this process decides report what they write. Other
 * processes may decide other instances, so their journals are polled. With an instance in the filter, only that one is polled.
 * Without it, each poll lists all instances, so the more there are, the less often it polls.
 *
 * Owns the position in each instance's journal: each event is given once, in the order of the journal.
 *
 * States: following → ended, when the subscriber has ended or the host stops.
 */
export class JournalFollower {
  readonly #options: JournalFollowerOptions;
  readonly #filter: EventFilter;
  readonly #streams = new EventStreams();
  readonly #begunAt: number;
  /** The number of journal lines read, by instance. */
  readonly #read = new Map<string, number>();
  readonly #events: InstanceEvents;
  readonly #serial = new Serial();
  #hasLooked = false;
  #isStopped = false;

  constructor(filter: EventFilter, options: JournalFollowerOptions) {
    this.#filter = filter;
    this.#options = options;
    this.#begunAt = options.now();
    this.#events = new InstanceEvents(options.store);
  }

  get isFollowing(): boolean {
    return this.#streams.hasSubscribers && !this.#isStopped;
  }

  follow(): AsyncIterableIterator<HostEvent> {
    const stream = this.#streams.subscribe(this.#filter);
    void this.#followAll();
    return stream;
  }

  /** Takes the events that this process has written. */
  take({ instance, from, lines, events }: WrittenEvents): void {
    if (!this.isFollowing) return;
    const work = async () => {
      const read = this.#read.get(instance) ?? (this.#hasLooked ? 0 : from);
      if (read >= lines) return;
      if (read < from) return this.#readNew(instance, lines);
      const isKnown = this.#filter.contact === undefined && events.every(({ within }) => within);
      const origin = isKnown ? { within: [] } : await this.#events.originOf(instance);
      this.#read.set(instance, lines);
      this.#publish(events, origin);
    };
    // Lines that cannot be read now are read at the next poll.
    this.#serial.run(instance, work).catch(() => {});
  }

  stop(): void {
    this.#isStopped = true;
    this.#streams.end();
  }

  async #followAll(): Promise<void> {
    while (this.isFollowing) {
      const begun = performance.now();
      try {
        await this.#look();
      } catch {
        // Restate cannot be reached now. The lines are read at the next poll.
      }
      await new Promise((resolve) => setTimeout(resolve, pauseAfter(begun)));
    }
  }

  async #look(): Promise<void> {
    const { store, lineCount } = this.#options;
    const { instance, descendants } = this.#filter;
    if (instance !== undefined && descendants !== true) {
      try {
        const count = await lineCount(instance);
        await this.#serial.run(instance, () => this.#readNew(instance, count));
      } catch (error) {
        if (!isUnknownInstance(error)) throw error;
        // One that was not read yet may be started later.
        if (this.#read.has(instance)) this.#streams.erased(instance);
      }
      return;
    }
    for (const { id, lines, updatedAt } of await store.journalLengths()) {
      const isOld = !this.#hasLooked && !this.#read.has(id) && updatedAt < this.#begunAt;
      if (isOld) this.#read.set(id, lines);
      else if (this.#read.get(id) !== lines)
        await this.#serial.run(id, () => this.#readNew(id, lines));
    }
    this.#hasLooked = true;
  }

  async #readNew(id: string, count: number): Promise<void> {
    const known = this.#read.get(id);
    const from = known ?? Math.max(0, count - searchedMax);
    if (count <= from) return;
    if (count > from + linesAtOnce) {
      await this.#readNew(id, from + linesAtOnce);
      await this.#streams.whenRead();
      return this.#readNew(id, count);
    }
    const isNew = (at: number) => known !== undefined || at >= this.#begunAt;
    const read = await this.#events.read(id, { from, end: count }, isNew);
    // A copy repeats the journal of its original.
    const forked =
      known === undefined
        ? read.findLastIndex(({ event }) => event.type === 'instance.forked')
        : -1;
    const events = read.slice(Math.max(0, forked));
    const origin = events.length > 0 ? await this.#events.originOf(id) : { within: [] };
    this.#read.set(id, count);
    this.#publish(events, origin);
  }

  #publish(events: readonly HostEvent[], { within, contact }: Origin): void {
    const wanted = this.#filter.contact;
    if (wanted === undefined || wanted === contact)
      this.#streams.publish(withAncestors(events, within));
  }
}

/** The pause between two polls, in milliseconds. Polling takes a tenth of the time, unless one poll takes longer than half a second. */
const pauses = { shortest: 100, longest: 5_000 };
const pauseShare = 9;

/** The pause after a poll of all journals, in milliseconds. @param begun `performance.now()` at the beginning of the poll */
function pauseAfter(begun: number): number {
  const share = pauseShare * (performance.now() - begun);
  return Math.min(Math.max(pauses.shortest, share), pauses.longest);
}

/** The facts about an instance that never change. */
interface Origin {
  /** The ids of its ancestors; empty if it has none. */
  readonly within: readonly string[];
  readonly contact?: string;
}

/** Reads events of instances from their journals. Caches the origins of the instances that were read. */
export class InstanceEvents {
  readonly #store: StoreReader;
  readonly #origins = new Map<string, Origin>();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /** Reads the events in a range of lines, without their ancestors. Events outside the wanted times are left out. */
  async read(
    id: string,
    { from, end }: { readonly from: number; readonly end: number },
    isWanted: (at: number) => boolean,
  ): Promise<HostEvent[]> {
    const store = this.#store;
    const lines = await readJournal(store, id, { from, limit: end - from });
    const events: HostEvent[] = [];
    const record = await store.read(id);
    this.#originIn(id, record);
    const texts = new MessageTexts(store, id, record?.transcriptLength ?? 0);
    for (const [index, line] of lines.entries()) {
      const { at, source, event } = line as unknown as HostEvent;
      if ((source as string) === 'step' || !isWanted(at)) continue;
      const cursor = cursorAt(from + index + 1, at);
      events.push({ instance: id, at, source, event: await texts.whole(event), cursor });
    }
    return events;
  }

  async originOf(id: string): Promise<Origin> {
    return this.#origins.get(id) ?? this.#originIn(id, await this.#store.read(id));
  }

  /** Forgets an erased instance: another one can get its id. */
  forget(id: string): void {
    this.#origins.delete(id);
  }

  #originIn(id: string, record: StoreRecord | undefined): Origin {
    const known = this.#origins.get(id);
    if (known) return known;
    const within = record ? (stateOf(record).parent?.ancestors ?? []) : [];
    const origin = record?.contact === undefined ? { within } : { within, contact: record.contact };
    this.#origins.set(id, origin);
    return origin;
  }
}

function withAncestors(
  events: readonly HostEvent[],
  within: readonly string[],
): readonly HostEvent[] {
  return within.length > 0 ? events.map((event) => ({ ...event, within })) : events;
}

/** How often a journal is polled for one subscriber, in milliseconds. */
const pollMs = 100;

/** Owns the subscriptions to the events of a host. */
export class JournalFollowers {
  readonly #options: JournalFollowerOptions;
  #followers: readonly JournalFollower[] = [];
  readonly #streams: JournalStreams;

  constructor(options: JournalFollowerOptions) {
    this.#options = options;
    this.#streams = new JournalStreams({ store: options.store, pollMs });
  }

  get hasSubscribers(): boolean {
    this.#followers = this.#followers.filter(({ isFollowing }) => isFollowing);
    return this.#followers.length > 0 || this.#streams.hasSubscribers;
  }

  follow(filter: EventFilter): AsyncIterableIterator<HostEvent> {
    if (filter.after !== undefined && filter.instance === undefined)
      throw badRequest(
        'The instances of a host on Restate have no common order, so "after" needs "instance". Follow each instance after its own cursor.',
      );
    if (filter.after !== undefined) return this.#streams.subscribe(filter);
    const follower = new JournalFollower(filter, this.#options);
    const events = follower.follow();
    this.#followers = [...this.#followers, follower];
    return events;
  }

  /** Gives subscribers the events that this process has decided, once they are stored. */
  publish(written: WrittenEvents): void {
    for (const follower of this.#followers) follower.take(written);
    this.#streams.wake(written.instance);
  }

  stop(): void {
    for (const follower of this.#followers) follower.stop();
    this.#streams.end();
  }
}

interface RestateReaderOptions {
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
    await concurrently([...read], ([id, lines]) => this.#save(id, lines));
  }

  async #save(id: string, lines: number): Promise<void> {
    const { ingress, toInstance } = this.#options;
    await unlessErased(ingress.call(toInstance(id, 'noteRead'), { reader: this.#name, lines }));
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
  const own = await unlessErased(events.read(id, { from, end }, (at) => at >= since));
  if (!own) return undefined;
  const { within } = await events.originOf(id);
  return { events: withAncestors(own, within), end };
}

function sinceOf(cursor: string): number {
  const [, since] = /^since (\d{1,15}(?:\.\d{1,9})?)$/.exec(cursor) ?? [];
  if (since === undefined)
    throw badRequest(
      `The position of the reader is not one of a host on Restate: ${JSON.stringify(cursor.slice(0, 100))}.`,
    );
  return Number(since);
}
