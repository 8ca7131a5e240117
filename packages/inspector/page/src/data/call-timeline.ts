import type { InspectorEvent } from '../../../src/events.ts';
import type { Call } from './derive.ts';
import { isSame } from './diff.ts';

/** The bar of a call on the axis: `from` and `to` are between 0 and 1. */
export interface CallBar {
  readonly call: Call;
  readonly from: number;
  readonly to: number;
  /** 1 for the first call, 2 for its first repetition. */
  readonly attempt: number;
}

/** A point on the axis where time without calls is left out. */
export interface CallGap {
  readonly at: number;
  readonly durationMs: number;
}

/** The calls of a turn on an axis that shows only the time of calls. Waits for people are listed separately, because they take hours. */
export interface CallTimeline {
  /** In order of their start. */
  readonly bars: readonly CallBar[];
  readonly gaps: readonly CallGap[];
  /** Calls that wait for people, in order of their start. */
  readonly waits: readonly Call[];
  /** The length of the axis. */
  readonly durationMs: number;
}

/** Maximum number of calls shown of a turn, the last ones. */
const mostCalls = 100;

/** The shortest time without a call, in milliseconds, that is left out of the axis. */
const shortestGapMs = 250;

/**
 * @param calls in any order, up to the shown moment
 * @param from the beginning of the turn, in milliseconds since 1970 UTC
 * @param now the end of open calls
 */
export function timelineOf(calls: readonly Call[], from: number, now: number): CallTimeline {
  const shown = calls
    .filter(
      ({ port, askedAt, endedAt = now }) => port !== 'timer' && (askedAt >= from || endedAt > from),
    )
    .toSorted((one, other) => one.askedAt - other.askedAt)
    .slice(-mostCalls);
  const timed = shown.filter(({ port }) => port !== 'requestDecision');
  const spans = busySpans(timed, now);
  const durationMs = spans.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const placeOf = (at: number) => {
    let before = 0;
    for (const { begin, end } of spans) before += Math.min(Math.max(at - begin, 0), end - begin);
    return durationMs === 0 ? 0 : before / durationMs;
  };
  return {
    bars: timed.map((call, index) => ({
      call,
      from: placeOf(call.askedAt),
      to: placeOf(endOf(call, now)),
      attempt: attemptOf(call, timed.slice(0, index)),
    })),
    gaps: spans.slice(1).map(({ begin }, index) => ({
      at: placeOf(begin),
      durationMs: begin - spans[index]!.end,
    })),
    waits: shown.filter(({ port }) => port === 'requestDecision'),
    durationMs,
  };
}

/** When the turn of the last of `count` events began, in milliseconds since 1970 UTC; 0 without turns. */
export function turnBegin(events: readonly InspectorEvent[], count: number): number {
  for (let index = count - 1; index >= 0; index -= 1) {
    const event = events[index]!;
    if (event.type === '@dramaturg.emitted' && event.event.type === 'turn.started')
      return Number(event.createdAt);
  }
  return 0;
}

interface Span {
  readonly begin: number;
  readonly end: number;
}

/** The times in which a call is open, in order and without overlaps. */
function busySpans(calls: readonly Call[], now: number): readonly Span[] {
  const spans: Span[] = [];
  for (const call of calls) {
    const span = { begin: call.askedAt, end: endOf(call, now) };
    const last = spans.at(-1);
    if (!last || span.begin > last.end + shortestGapMs) spans.push(span);
    else spans[spans.length - 1] = { begin: last.begin, end: Math.max(last.end, span.end) };
  }
  return spans;
}

/** The end of a call. If the clock was set back, it is not before the start. */
function endOf({ askedAt, endedAt }: Call, now: number): number {
  return Math.max(askedAt, endedAt ?? now);
}

/** The number of the attempt. A call repeats the last failed call of its actor if the input is the same. */
function attemptOf(call: Call, earlier: readonly Call[]): number {
  const isSameCall = ({ port, askedBy, input }: Call) =>
    port === call.port &&
    askedBy === call.askedBy &&
    isSame({ ...Object(input), key: '' }, { ...Object(call.input), key: '' });
  const before = earlier.findLastIndex((each) => isSameCall(each));
  if (earlier[before]?.status !== 'failed') return 1;
  return attemptOf(earlier[before], earlier.slice(0, before)) + 1;
}
