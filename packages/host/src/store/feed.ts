/** Selects entries of the feed. */
export interface FeedRequest {
  /** The position before the first entry to return; 0 for the beginning. */
  readonly after: number;
  /** The maximum number of entries, 1 to 10,000. */
  readonly limit: number;
  /** Only writes of records with this contact. */
  readonly contact?: string;
}

/** The place of a write in the feed. */
export interface FeedPlace {
  /** Absent when the write has no journal lines. */
  readonly position?: number;
  /** The highest position that an earlier write may have; `position - 1` when left out. */
  readonly previousPosition?: number;
}

/** Journal lines that were stored together. */
export interface FeedEntry {
  /** A positive integer that grows from write to write and is never used twice. Numbers may be left out. */
  readonly position: number;
  /** The id of the record. */
  readonly id: string;
  readonly kind: string;
  /** The index of the first line in the journal of the record. */
  readonly from: number;
  /** The number of lines. */
  readonly lines: number;
}

/** A part of the feed at one instant. */
export interface FeedPage {
  /**
   * Identifies the feed, to distinguish its positions from those of other stores. A backup has the feed of its store; a copy made
   * with `copyStore` has its own.
   */
  readonly feed: string;
  /** The highest position that a write has or had; 0 when there is none. */
  readonly last: number;
  readonly entries: readonly FeedEntry[];
}

/** The index of the first entry after a position, in a list in the order of positions. */
export function indexAfter(
  entries: readonly Pick<FeedEntry, 'position'>[],
  position: number,
): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle]!.position > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
