import { wording } from '../wording.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** A time span in its largest unit: "40 s", "5 min", "3 h", "12 d". */
export function durationText(milliseconds: number): string {
  const { seconds, minutes, hours, days } = wording.durations;
  const ms = Math.max(0, milliseconds);
  if (ms < minuteMs) return seconds(Math.floor(ms / 1_000));
  if (ms < hourMs) return minutes(Math.floor(ms / minuteMs));
  if (ms < 2 * dayMs) return hours(Math.floor(ms / hourMs));
  return days(Math.floor(ms / dayMs));
}

/** A time span like `durationText`, with minutes if it is less than two days. */
export function exactDurationText(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < hourMs || ms >= 2 * dayMs) return durationText(ms);
  const minutes = Math.floor((ms % hourMs) / minuteMs);
  return wording.durations.hoursAndMinutes(Math.floor(ms / hourMs), minutes);
}

/** The clock time, with the date if it is not today. */
export function timeText(at: number, now = Date.now()): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return new Intl.DateTimeFormat(wording.locale, {
    hour: '2-digit',
    minute: '2-digit',
    ...(!isToday && { day: 'numeric', month: 'short' }),
  }).format(date);
}
