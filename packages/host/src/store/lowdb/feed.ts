import { join } from 'node:path';
import { StoreError } from '../errors.ts';
import type { FeedEntry, FeedPage, FeedRequest } from '../feed.ts';
import { indexAfter } from '../feed.ts';
import type { RecordIndex } from '../index/record-index.ts';
import type { DamagedFolder } from './damaged-folder.ts';
import { FeedFile, type FeedFileParts } from './feed-file.ts';
import type { FeedLine, StoredFeedLine } from './feed-line.ts';
import type { Log } from './log/log.ts';
import type { Segment } from './log/segment-file.ts';
import type { RecordPlaces } from './record-places.ts';
import { toDamageError } from './to-damage-error.ts';

export interface FeedParts extends FeedFileParts {
  readonly log: Log;
  readonly places: RecordPlaces;
  readonly index: RecordIndex;
  readonly damaged: DamagedFolder;
}

/** What the feed says of the record of a line. */
type Origin = Pick<FeedEntry, 'kind'> & { readonly contact?: string | undefined };

/**
 * The feed of a store: the lines of its file, and behind them those of the log, whose numbers are the positions. Lines of deleted
 * records stay until the next compaction, and are not read.
 */
export class Feed {
  readonly #parts: FeedParts;
  readonly #file: FeedFile;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#file = new FeedFile(parts);
  }

  /**
   * @param originOf reads a record that is not in the index; undefined when it is not served
   * @throws `store/damaged`
   */
  async read(
    { after, limit, contact }: FeedRequest,
    originOf: (id: string) => Promise<Origin | undefined>,
  ): Promise<FeedPage> {
    const { log, manifest, index, folder } = this.#parts;
    // Before the file is read: compaction may move lines from the log into it at the same time.
    const ofLog = log.segments.map((segment) => segment.feed);
    const last = log.stored;
    const { feed } = manifest.content;
    const entries: FeedEntry[] = [];
    const add = async (line: FeedLine) => {
      const { position, id, from, lines } = line;
      const origin = index.originOf(id) ?? (await originOf(id));
      if (origin === undefined || (contact !== undefined && origin.contact !== contact)) return;
      entries.push({ position, id, kind: origin.kind, from, lines });
    };
    try {
      for await (const lines of this.#file.after(feed, after)) {
        for (const line of lines)
          if (entries.length < limit && this.#isOfRecord(line)) await add(line);
        if (entries.length === limit) break;
      }
    } catch (error) {
      // A compaction has replaced the file.
      if (manifest.content.feed.file !== feed.file)
        return this.read({ after, limit, ...(contact === undefined ? {} : { contact }) }, originOf);
      const damage = toDamageError(error);
      if (damage === undefined) throw error;
      const message = `The file ${join(folder, feed.file)} is damaged, so the events of all instances cannot be read in their order. ${damage.message} Stop the host, and run "dramaturg repair", which says first what it does.`;
      throw new StoreError('store/damaged', message, { cause: error });
    }
    const from = Math.max(after, feed.last);
    for (const lines of ofLog)
      for (let at = indexAfter(lines, from); at < lines.length && entries.length < limit; at += 1) {
        const line = lines[at]!;
        if (line.position <= last && this.#firstWriteOf(line) !== undefined) await add(line);
      }
    return { feed: feed.name, last, entries };
  }

  /** Moves the lines of the oldest segments into the file, before the segments are removed from the log. */
  async take(segments: readonly Segment[]): Promise<void> {
    const { last } = this.#parts.manifest.content.feed;
    const end = segments.at(-1)?.end?.position.number ?? last;
    if (end > last) await this.#file.append(this.#stored(segments, last), end);
  }

  /** Removes the lines of deleted records from the file. */
  async compact(): Promise<void> {
    const { places, damaged } = this.#parts;
    const keeps = ({ id, firstWrite }: StoredFeedLine) =>
      places.get(id)?.firstWrite === firstWrite || damaged.get(id) !== undefined;
    await this.#file.removeAllBut(keeps, false);
  }

  /**
   * Prepares the file for this owner. A lost file is made again from the records, as a feed of its own.
   *
   * @param isFenced whether another owner may have the file open
   */
  async begin(isFenced: boolean, randomId: () => string): Promise<void> {
    const { manifest, log } = this.#parts;
    if (manifest.content.feed.file === '')
      await this.#file.rebuild(this.#rebuilt(), log.stored, randomId());
    else if (isFenced) await this.#file.removeAllBut(() => true, true);
  }

  /** Reads the file and compares its checksums. */
  async verify(): Promise<void> {
    for await (const _ of this.#file.after(this.#parts.manifest.content.feed, 0));
  }

  #isOfRecord({ id, firstWrite }: StoredFeedLine): boolean {
    return this.#parts.places.get(id)?.firstWrite === firstWrite;
  }

  /** The first write of the record, unless it was deleted. */
  #firstWriteOf({ id, position }: FeedLine): number | undefined {
    const firstWrite = this.#parts.places.get(id)?.firstWrite;
    return firstWrite !== undefined && firstWrite <= position ? firstWrite : undefined;
  }

  *#stored(segments: readonly Segment[], after: number): Generator<StoredFeedLine> {
    for (const { feed } of segments)
      for (const line of feed.slice(indexAfter(feed, after))) {
        const firstWrite = this.#firstWriteOf(line);
        if (firstWrite !== undefined) yield { ...line, firstWrite };
      }
  }

  /** One line for the journal of each record in its files, then what is only in the log. */
  *#rebuilt(): Generator<StoredFeedLine> {
    const { log, places, index } = this.#parts;
    const isInLog = ({ id, position }: FeedLine) => position > (places.get(id)?.compacted ?? 0);
    const inLog = Array.from(this.#stored(log.segments, 0)).filter(isInLog);
    const firsts = new Map<string, number>();
    for (const { id, from } of inLog) if (!firsts.has(id)) firsts.set(id, from);
    let position = 0;
    for (const [id, { compacted, firstWrite }] of places.entries()) {
      const lines = firsts.get(id) ?? index.get(id)?.summary.journalLength ?? 0;
      if (compacted === 0 || lines === 0) continue;
      position += 1;
      yield { position, id, from: 0, lines, firstWrite };
    }
    for (const line of inLog) {
      position += 1;
      yield { ...line, position };
    }
  }
}
