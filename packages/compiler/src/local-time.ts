const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hourCycle: 'h23',
      weekday: 'long',
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Whether it is the name of a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

const partsOf = (at: number, timeZone: string) =>
  Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  ) as Readonly<Record<Intl.DateTimeFormatPartTypes, string>>;

/**
 * A time for people and models: `Friday, 23 October 2026, 18:00 (Europe/Berlin)`.
 *
 * @param at milliseconds since 1970 UTC
 */
export function localTime(at: number, timeZone: string): string {
  const { weekday, day, month, year, hour, minute } = partsOf(at, timeZone);
  return `${weekday}, ${day} ${month} ${year}, ${hour}:${minute} (${timeZone})`;
}

/** The reading of a wall clock, as if it were UTC. In milliseconds since 1970. */
export function wallTime(at: number, timeZone: string): number {
  const { day, month, year, hour, minute, second } = partsOf(at, timeZone);
  const wall = Date.parse(`${day} ${month} ${year} ${hour}:${minute}:${second} UTC`);
  return wall + (((at % 1_000) + 1_000) % 1_000);
}

/**
 * When a wall clock shows a time: the first time if it does so twice, and an hour later if it skips the time.
 *
 * @param wall as of `wallTime`
 */
export function timeOfWall(wall: number, timeZone: string): number {
  const [before, after] = [-86_400_000, 86_400_000].map((shift) => {
    const near = wall + shift;
    return wall - (wallTime(near, timeZone) - near);
  }) as [number, number];
  const found = [before, after].filter((at) => wallTime(at, timeZone) === wall);
  return found.length === 0 ? before : Math.min(...found);
}
