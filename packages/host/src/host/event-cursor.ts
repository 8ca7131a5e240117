import { badRequest } from '../errors.ts';
import type { HostEvent } from '../instance/event.ts';
import type { StepResult } from '../instance/step-result.ts';

/** The cursor before the first event. */
export const beginning = 'beginning';

/** A position in the journal of an instance: how many lines are before it, and the time of the last one. */
export interface JournalPosition {
  readonly lines: number;
  /** Milliseconds since 1970 UTC, as text. It distinguishes the journal from that of a later instance with the same id. */
  readonly at?: string;
}

export function cursorAt(lines: number, at: number): string {
  return `${lines}-${at}`;
}

/** @throws HostError `host/bad-request` */
export function positionOf(cursor: unknown): JournalPosition {
  if (cursor === beginning) return { lines: 0 };
  const [, lines, at] = /^([1-9]\d{0,14})-(-?[\d.]{1,30})$/.exec(String(cursor)) ?? [];
  if (lines === undefined || at === undefined)
    throw badRequest(
      `"after" is the cursor of an event or "${beginning}", not ${JSON.stringify(String(cursor).slice(0, 100))}.`,
    );
  return { lines: Number(lines), at };
}

/** A position in the events of all instances. */
export interface FeedPosition {
  /** The position of a write in the feed of the store. */
  readonly position: number;
  /** How many journal lines the instance had up to the event. Absent when the position does not belong to an event. */
  readonly lines?: number;
  /** The time of the event, as text. It distinguishes the event from another one at the same position after a power cut. */
  readonly at?: string;
  readonly feed?: string;
}

export function feedCursorAt(feed: string, position: number, lines: number, at: number): string {
  return `${position}-${lines}-${at}-${feed}`;
}

/** The cursor after everything that is stored. */
export function feedCursorAfter(feed: string, position: number): string {
  return position === 0 ? beginning : `${position}@${feed}`;
}

/** @throws HostError `host/bad-request` */
export function feedPositionOf(cursor: unknown): FeedPosition {
  if (cursor === beginning) return { position: 0 };
  const pattern = /^([1-9]\d{0,14})-([1-9]\d{0,14})-(-?[\d.]{1,30})-([\w-]{1,100})$/;
  const whole = /^([1-9]\d{0,14})@([\w-]{1,100})$/.exec(String(cursor));
  if (whole) return { position: Number(whole[1]), feed: whole[2]! };
  const [, position, lines, at, feed] = pattern.exec(String(cursor)) ?? [];
  if (position === undefined || at === undefined || feed === undefined)
    throw badRequest(
      `Without "instance", "after" is "${beginning}" or the cursor of an event of a stream without "instance", not ${JSON.stringify(String(cursor).slice(0, 100))}.`,
    );
  return { position: Number(position), lines: Number(lines), at, feed };
}

/** The number of journal lines up to the event of a cursor, which may come from any stream. */
export function journalLineOf(cursor: string): number {
  const [, lines] = /^(\d+)-(-?[\d.]+)$/.exec(cursor) ?? [];
  return lines === undefined ? feedPositionOf(cursor).lines! : Number(lines);
}

/**
 * The events of steps that were stored in one write, with their cursors.
 *
 * @param length the number of journal lines before the write
 */
export function withCursors(
  results: readonly Pick<StepResult, 'lines' | 'events'>[],
  length: number,
): HostEvent[] {
  let line = length;
  return results.flatMap(({ lines, events }) => {
    if (!lines) return events;
    // The input of a step is the first of its lines.
    const first = line + 2;
    line += lines.journal.length;
    return events.map((event, index) => ({ ...event, cursor: cursorAt(first + index, event.at) }));
  });
}
