import type { HostEvent } from '../instance/event.ts';
import type { PartOrigin } from './reply-parts.ts';
import { HostError, isUnknownInstance, unknownInstance } from '../errors.ts';
import { readJournal } from '../instance/journal-lines.ts';
import { stateOf } from '../instance/snapshot-parts.ts';
import type { StoreReader } from '../store/contract.ts';
import { StoreError } from '../store/errors.ts';
import { cursorAt, type JournalPosition, positionOf } from './event-cursor.ts';
import { type EventFilter, isOfTypes } from './event-streams.ts';
import { MessageTexts } from './message-texts.ts';
import { isInstanceId } from './record-ids.ts';
import { StoredStream } from './stored-stream.ts';

/** Owns the subscriptions to an instance's events after a cursor. */
export class JournalStreams {
  readonly #options: Omit<JournalStreamOptions, 'filter' | 'onEnd'>;
  readonly #streams = new Set<JournalStream>();

  constructor(options: Omit<JournalStreamOptions, 'filter' | 'onEnd'>) {
    this.#options = options;
  }

  get hasSubscribers(): boolean {
    return this.#streams.size > 0;
  }

  /** @param parts the replies that are being made */
  subscribe(
    filter: JournalStreamOptions['filter'],
    parts: readonly HostEvent[] = [],
  ): AsyncIterableIterator<HostEvent> {
    const onEnd = () => this.#streams.delete(stream);
    const stream: JournalStream = new JournalStream({ ...this.#options, filter, onEnd });
    if (!filter.signal?.aborted) this.#streams.add(stream);
    for (const part of parts) stream.pushPart(part);
    return stream;
  }

  /** Notes that the journal of an instance has more lines, or was erased. */
  wake(instance: string): void {
    for (const stream of this.#streams) if (stream.instance === instance) stream.wake();
  }

  publishPart(part: HostEvent): void {
    for (const stream of this.#streams) stream.pushPart(part);
  }

  dropPart(origin: Pick<PartOrigin, 'instance' | 'key'>): void {
    for (const stream of this.#streams) stream.dropPart(origin);
  }

  /** Ends all iterations. */
  end(): void {
    for (const stream of this.#streams) stream.end();
  }
}

interface JournalStreamOptions {
  readonly store: Pick<StoreReader, 'read' | 'journal' | 'transcript'>;
  /** The filter, which has `instance` and `after`. */
  readonly filter: EventFilter;
  /** How often to poll for lines of other processes, in milliseconds. Without it, `wake` reports each new line. */
  readonly pollMs?: number;
  readonly onEnd: () => void;
}

/** How many lines are read at once. */
const pageLength = 100;

/**
 * The events of one instance after a cursor, the stored ones and then those to come, from its journal.
 *
 * Owns the position in the journal.
 */
class JournalStream extends StoredStream {
  readonly instance: string;
  readonly #options: JournalStreamOptions;
  #position: JournalPosition;

  constructor(options: JournalStreamOptions) {
    super(options);
    const { instance = '', after } = options.filter;
    this.instance = instance;
    this.#options = options;
    this.#position = positionOf(after);
  }

  override pushPart(part: HostEvent): void {
    if (part.instance === this.instance && this.filter.parts === true) super.pushPart(part);
  }

  protected override async *all(): AsyncGenerator<HostEvent, void> {
    yield* this.#eventsOf(await this.#untilReached(() => this.#begin()));
  }

  async #begin() {
    const { store } = this.#options;
    const record = isInstanceId(this.instance) ? await store.read(this.instance) : undefined;
    if (record?.kind !== 'instance') throw unknownInstance(this.instance);
    const isNew = this.#position.lines === 0;
    return {
      within: stateOf(record).parent?.ancestors,
      texts: new MessageTexts(store, this.instance, isNew ? 0 : record.transcriptLength),
    };
  }

  async *#eventsOf({
    within,
    texts,
  }: {
    readonly within: readonly string[] | undefined;
    readonly texts: MessageTexts;
  }): AsyncGenerator<HostEvent, void> {
    while (!this.isOver) {
      this.hasNews = false;
      const parts = this.parts.ready();
      const lines = await this.#untilReached(() => this.#read());
      for (const { at, source, event } of lines) {
        const count = this.#position.lines + 1;
        const isWanted = (source as string) !== 'step' && isOfTypes(event.type, this.filter.types);
        const whole = isWanted ? await this.#untilReached(() => texts.whole(event)) : event;
        if (this.isOver) return;
        this.#position = { lines: count, at: String(at) };
        if (isWanted)
          yield {
            instance: this.instance,
            ...(within ? { within } : {}),
            at,
            source,
            event: whole,
            cursor: cursorAt(count, at),
          };
        if (this.isOver) return;
      }
      if (lines.length > 0) continue;
      for (const part of this.parts.take(parts)) {
        yield part;
        if (this.isOver) return;
      }
      await this.news(this.#options.pollMs);
    }
  }

  /** The lines after the position. The line before it shows that the journal is still the same one. */
  async #read(): Promise<readonly HostEvent[]> {
    const { lines, at } = this.#position;
    const before = Math.min(lines, 1);
    const range = { from: lines - before, limit: pageLength + before };
    const read = await this.#readJournal(range);
    if (before === 1 && String(read[0]?.at) !== at) throw unknownCursor(this.instance);
    return read.slice(before);
  }

  async #readJournal(range: Parameters<typeof readJournal>[2]): Promise<readonly HostEvent[]> {
    try {
      const lines = await readJournal(this.#options.store, this.instance, range);
      return lines as unknown as readonly HostEvent[];
    } catch (error) {
      const isErased = error instanceof StoreError && error.code === 'store/unknown';
      throw isErased || isUnknownInstance(error) ? unknownInstance(this.instance) : error;
    }
  }

  /** With `pollMs`, retries while the store cannot be reached. */
  async #untilReached<Value>(work: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const isLasting = error instanceof HostError || error instanceof StoreError;
        if (isLasting || this.isOver || this.#options.pollMs === undefined) throw error;
        this.hasNews = false;
        await this.news(this.#options.pollMs);
      }
    }
  }
}

function unknownCursor(instance: string): HostError {
  return new HostError(
    'host/unknown-cursor',
    `The journal of ${JSON.stringify(instance)} does not have the event of this cursor: it belongs to another instance, or to one that was erased. Follow the instance after "beginning".`,
  );
}
