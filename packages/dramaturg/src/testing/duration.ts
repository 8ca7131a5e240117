/** A time span that an author writes, such as `2 days`. Spec: docs/testing.md#time */

const second = 1000;
const units: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: second,
  second,
  min: 60 * second,
  minute: 60 * second,
  h: 3600 * second,
  hour: 3600 * second,
  day: 24 * 3600 * second,
  week: 7 * 24 * 3600 * second,
};

/** The tests of a file may pass this much time at most: 100 years. */
const longest = 36_525 * 24 * 3600 * second;

/**
 * Reads `2 days`, `1 hour 30 minutes` or `90 s` as milliseconds.
 *
 * @returns undefined for a string that is not a duration, or for a duration that is too long
 */
export function readDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)];
  const rest = text
    .replaceAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi, '')
    .replaceAll(/\band\b|[,\s]/gi, '');
  if (parts.length === 0 || rest !== '') return undefined;
  let total = 0;
  for (const [, count, word] of parts) {
    const name = word!.toLowerCase();
    const unit = units[name] ?? units[name.replace(/s$/, '')];
    if (unit === undefined) return undefined;
    total += Number(count) * unit;
  }
  return total <= longest ? total : undefined;
}

/** The value of `later` that means: until nothing more is due. */
export const untilTheEnd = 'to the end';

const writtenUnits = [
  ['weeks', 7 * 24 * 3_600_000],
  ['days', 24 * 3_600_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** Writes milliseconds as an author does: `1 hours 30 minutes`. The inverse of `readDuration`. */
export function writeDuration(milliseconds: number): string {
  let rest = Math.max(1, Math.ceil(milliseconds));
  const parts: string[] = [];
  for (const [name, length] of writtenUnits) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0)
      parts.push(`${count} ${count === 1 && name.length > 2 ? name.slice(0, -1) : name}`);
  }
  return parts.join(' ');
}
