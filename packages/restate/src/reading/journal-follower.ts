import { isRecord, type Json } from '@dramaturg/compiler';
import type { EventFilter, HostEvent, StoreReader, TranscriptLine } from '@dramaturg/host';
import { EventStreams, isUnknownInstance, readJournal, readPages } from '@dramaturg/host/engine';

export interface JournalFollowerOptions {
  readonly store: StoreReader;
  /** How many journal lines of an instance are stored. */
  readonly lineCount: (instance: string) => Promise<number>;
  readonly now: () => number;
}

/** The pause between two looks, in milliseconds. Looking takes at most a tenth of the time. */
const pauseMin = 100;
const pauseShare = 9;

/** How many of the latest lines of an instance are searched for those since the subscription. */
const searchedMax = 200;

/**
 * Follows the journals of instances that other processes run, for one subscriber. With an instance in the filter it asks that
 * one. Without, it lists all instances at each look, which costs more with their number, so it looks less often then.
 *
 * States: following → ended, when the subscriber has ended or the host stops.
 */
export class JournalFollower {
  readonly #options: JournalFollowerOptions;
  readonly #filter: EventFilter;
  readonly #streams = new EventStreams();
  readonly #begunAt: number;
  /** How many journal lines were read, by instance. */
  readonly #read = new Map<string, number>();
  #isStopped = false;

  constructor(filter: EventFilter, options: JournalFollowerOptions) {
    this.#filter = filter;
    this.#options = options;
    this.#begunAt = options.now();
  }

  follow(): AsyncIterableIterator<HostEvent> {
    const stream = this.#streams.subscribe(this.#filter);
    void this.#followAll();
    return stream;
  }

  stop(): void {
    this.#isStopped = true;
    this.#streams.end();
  }

  async #followAll(): Promise<void> {
    while (this.#streams.hasSubscribers && !this.#isStopped) {
      const begun = performance.now();
      try {
        await this.#look();
      } catch {
        // Restate cannot be reached now. The lines stay, and are read with the next look.
      }
      const pause = Math.max(pauseMin, pauseShare * (performance.now() - begun));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async #look(): Promise<void> {
    const { store, lineCount } = this.#options;
    const { instance, descendants } = this.#filter;
    if (instance !== undefined && descendants !== true) {
      try {
        await this.#readNew(instance, await lineCount(instance));
      } catch (error) {
        if (!isUnknownInstance(error)) throw error;
      }
      return;
    }
    for await (const records of readPages((page) => store.list({ kind: 'instance' }, page)))
      for (const { id, journalLength, updatedAt } of records)
        if (updatedAt >= this.#begunAt || this.#read.has(id))
          await this.#readNew(id, journalLength);
  }

  async #readNew(id: string, count: number): Promise<void> {
    const known = this.#read.get(id);
    const from = known ?? Math.max(0, count - searchedMax);
    if (count <= from) return;
    const { store } = this.#options;
    const lines = await readJournal(store, id, { from, limit: count - from });
    const events: HostEvent[] = [];
    for (const line of lines) {
      const { at, source, event } = line as unknown as HostEvent;
      const isStep = (source as string) === 'step';
      if (isStep || (known === undefined && at < this.#begunAt)) continue;
      events.push({ instance: id, at, source, event: await this.#whole(id, event) });
    }
    this.#read.set(id, count);
    this.#streams.publish(events);
  }

  /** The text of a message is in the transcript only. */
  async #whole(id: string, event: HostEvent['event']): Promise<HostEvent['event']> {
    const message = event['id'];
    if (!event.type.startsWith('message.') || typeof message !== 'string') return event;
    const { store } = this.#options;
    const record = await store.read(id);
    if (!record) return event;
    const from = Math.max(0, record.transcriptLength - searchedMax);
    const lines: readonly Json[] = await store.transcript(id, { from, limit: searchedMax });
    const line = lines.findLast((each) => isRecord(each) && each['id'] === message);
    return line === undefined
      ? event
      : { ...event, text: (line as unknown as TranscriptLine).text };
  }
}
