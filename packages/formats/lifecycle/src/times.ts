import { timeOfWall, wallTime } from '@dramaturg/compiler/text';

/** When reminders are sent, as policies write it. Spec: docs/formats/lifecycle.md#reminders */
export interface Times {
  readonly time_zone?: string;
  readonly quiet_hours?: Hours;
  readonly calendar?: Hours & {
    readonly working_days: readonly string[];
    /** Dates; `--12-25` is a day of each year. */
    readonly holidays: readonly string[];
    /** What cannot be read in the text of an iCalendar file. */
    readonly unreadable?: string;
  };
  readonly reminders?: readonly { readonly after: string; readonly text?: string }[];
}

/** Times of the day. They may cross midnight. */
export interface Hours {
  readonly from: string;
  readonly to: string;
}

export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** Milliseconds since midnight: `09:30`, and `24:00` for the end of the day. Undefined for anything else. */
export function readClock(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):([0-5]\d)$/.exec(text) ?? [];
  const read = (Number(hours) * 60 + Number(minutes)) * minuteMs;
  return hours !== undefined && read <= dayMs ? read : undefined;
}

export interface After {
  readonly unit: 'elapsed' | 'day' | 'working day';
  /** In milliseconds for `elapsed`, else in days. */
  readonly count: number;
  /** The time of the day. */
  readonly at?: number;
}

/** Reads `45 minutes`, `2h`, `1 day`, `1 working day at 09:00` ... Undefined for anything else. */
export function readAfter(text: string): After | undefined {
  const [, digits, unit = '', clock] =
    /^(\d{1,4}) ?(m|minutes?|h|hours?|d|days?|w|weeks?|working days?)(?: at (\d{1,2}:\d{2}))?$/i.exec(
      text.trim().replace(/\s+/g, ' '),
    ) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits);
  const at = clock === undefined ? undefined : readClock(clock);
  if (clock !== undefined && at === undefined) return undefined;
  const time = at === undefined ? {} : { at };
  if (/^[mh]/i.test(unit)) {
    // Elapsed time has no time of the day.
    if (at !== undefined || number === 0) return undefined;
    return { unit: 'elapsed', count: number * (/^h/i.test(unit) ? 60 : 1) * minuteMs };
  }
  if (/^wo/i.test(unit)) return { unit: 'working day', count: number, ...time };
  return { unit: 'day', count: number * (/^w/i.test(unit) ? 7 : 1), ...time };
}

/** A local time without a zone, such as `2026-10-24T09:00`, as of `wallTime`. Undefined for anything else. */
export function readLocalTime(written: unknown): number | undefined {
  if (typeof written !== 'string' || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?$/.test(written))
    return undefined;
  const wall = Date.parse(`${written.replace(' ', 'T')}Z`);
  return Number.isNaN(wall) ? undefined : wall;
}

/** The start of a day, as of `wallTime`. */
const startOfDay = (wall: number) => Math.floor(wall / dayMs) * dayMs;

function isWorkingDay(wall: number, { calendar }: Times): boolean {
  if (!calendar) return true;
  const day = new Date(wall);
  const date = day.toISOString().slice(0, 10);
  return (
    calendar.working_days.includes(weekdays[day.getUTCDay()]!) &&
    !calendar.holidays.includes(date) &&
    !calendar.holidays.includes(`-${date.slice(4)}`)
  );
}

/** When a reminder is due, a given time after another one. Days are calendar days, also over a change of the clock. */
export function dueAfter(
  from: number,
  { unit, count, at }: After,
  times: Times,
  zone: string,
): number {
  if (unit === 'elapsed') return from + count;
  const wall = wallTime(from, zone);
  let day = startOfDay(wall);
  const time = at ?? wall - day;
  if (unit === 'day') day += count * dayMs;
  else
    for (let left = count, looked = 0; left > 0 && looked < daysMax; looked += 1) {
      day += dayMs;
      if (isWorkingDay(day, times)) left -= 1;
    }
  return Math.max(from, timeOfWall(day + time, zone));
}

/** The most days searched for one on which a reminder may be sent. */
const daysMax = 3_660;

/**
 * The first time, at or after a given one, at which a reminder may be sent: outside of quiet hours, and in working hours.
 *
 * @param isChosen the person has chosen the time, on whatever day it is
 */
export function allowedFrom(from: number, times: Times, zone: string, isChosen = false): number {
  const { quiet_hours: quiet, calendar } = times;
  if (!quiet && !calendar) return from;
  let wall = wallTime(from, zone);
  const begun = wall;
  for (let looked = 0; looked < daysMax; looked += 1) {
    const day = startOfDay(wall);
    const next = waitsUntil(wall - day, day, times, isChosen);
    if (next === undefined) break;
    wall = next;
  }
  return wall === begun ? from : timeOfWall(wall, zone);
}

/** The time until which a reminder waits; undefined when it may be sent now. */
function waitsUntil(
  time: number,
  day: number,
  times: Times,
  isChosen: boolean,
): number | undefined {
  const { quiet_hours: quiet, calendar } = times;
  if (quiet) {
    const [from = 0, to = 0] = [readClock(quiet.from), readClock(quiet.to)];
    const isQuiet = from <= to ? time >= from && time < to : time >= from || time < to;
    if (isQuiet) return day + to + (time >= to ? dayMs : 0);
  }
  if (!calendar || isChosen) return undefined;
  const [from = 0, to = dayMs] = [readClock(calendar.from), readClock(calendar.to)];
  if (!isWorkingDay(day, times) || time >= to) return day + dayMs;
  return time < from ? day + from : undefined;
}
