import type { HostEvent } from '../instance/event.ts';
import type { StepResult } from '../instance/step-result.ts';
import { badRequest } from './request.ts';

/** The cursor before the first event of an instance. */
const beginning = 'beginning';

/** A position in the journal of an instance: how many lines are before it, and the time of the last of them. */
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
