const units = [
  { name: 'd', length: 86_400_000 },
  { name: 'h', length: 3_600_000 },
  { name: 'min', length: 60_000 },
  { name: 's', length: 1_000 },
] as const;

/** A time relative to now: `in 12 min`, `3 h ago`, `now`. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now);
  const unit = units.find(({ length }) => distance >= length);
  if (!unit) return 'now';
  const count = `${Math.round(distance / unit.length)} ${unit.name}`;
  return at > now ? `in ${count}` : `${count} ago`;
}

/** The time of something that is still to happen: `in 12 min`, or `due, 28 min late` when nobody has done it at its time. */
export function dueTime(at: number, now: number): string {
  const time = relativeTime(at, now);
  if (at > now) return time;
  return time === 'now' ? 'due' : `due, ${time.replace(/ ago$/, ' late')}`;
}

/** `2025-11-21 09:00:00` in the time zone of this machine: for people. Programs read `--json`. A damaged store may have a number that is not a time. */
export function localTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${day.map(twoDigits).join('-')} ${time.map(twoDigits).join(':')}`;
}

/** With milliseconds, for lines of a journal: `2025-11-21 09:00:00.417`. */
export function localTimeMs(at: number): string {
  const ms = new Date(at).getMilliseconds();
  return Number.isNaN(ms) ? String(at) : `${localTime(at)}.${String(ms).padStart(3, '0')}`;
}

export function bothTimes(at: number, now: number): string {
  return `${relativeTime(at, now)} (${localTime(at)})`;
}

export function bothDueTimes(at: number, now: number): string {
  return `${dueTime(at, now)} (${localTime(at)})`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
