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

/** `2025-11-21T08:00:00.000Z`. A damaged store may have a number that is not a time. */
export function isoTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

export function bothTimes(at: number, now: number): string {
  return `${relativeTime(at, now)} (${isoTime(at)})`;
}
