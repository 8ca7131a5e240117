import { DamageError } from '../damage-error.ts';

/** A write with journal lines. Its position is the number of the write. */
export interface FeedLine {
  readonly position: number;
  /** The id of the record. */
  readonly id: string;
  /** The index of the first line in the journal of the record. */
  readonly from: number;
  /** The number of lines. */
  readonly lines: number;
}

/** A line of the feed file. */
export interface StoredFeedLine extends FeedLine {
  /** The number of the write that created the record. A later record with the same id has another one. */
  readonly firstWrite: number;
}

export function formatFeedLine({ position, id, from, lines, firstWrite }: StoredFeedLine): string {
  return JSON.stringify([position, id, from, lines, firstWrite]);
}

/** @throws `DamageError` */
export function parseFeedLine(text: string): StoredFeedLine {
  try {
    const [position, id, from, lines, firstWrite] = JSON.parse(text);
    return { position, id, from, lines, firstWrite };
  } catch (cause) {
    throw new DamageError('A line of the feed is not JSON.', { cause });
  }
}
