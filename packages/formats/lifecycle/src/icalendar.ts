/**
 * The holidays in the text of an iCalendar file (RFC 5545): its all-day events. Those of each year have the form `--12-25`.
 *
 * @returns also the first line that cannot be read, such as a rule for the fourth Thursday
 */
export function holidaysIn(text: string): {
  readonly holidays: readonly string[];
  readonly unreadable?: string;
} {
  if (!/^\s*BEGIN:VCALENDAR\r?$/im.test(text)) return { holidays: [], unreadable: text };
  const holidays: string[] = [];
  let event = new Map<string, string>();
  // A line that begins with a blank continues the line before it.
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([\w-]+)(?:;[^:]*)?:(.*)$/.exec(line.trim()) ?? [];
    if (name.toUpperCase() === 'BEGIN') event = new Map();
    else if (line.trim().toUpperCase() !== 'END:VEVENT') event.set(name.toUpperCase(), value);
    else if (event.get('STATUS') !== 'CANCELLED') {
      const rule = event.get('RRULE');
      if (rule !== undefined && !isYearly.test(rule)) return { holidays, unreadable: rule };
      holidays.push(...daysOf(event).map((day) => (rule === undefined ? day : `-${day.slice(4)}`)));
    }
  }
  return { holidays };
}

/** The same day each year. */
const isYearly = /^FREQ=YEARLY(?:;(?:INTERVAL=1|BYMONTH=\d+|BYMONTHDAY=\d+))*$/i;

const dayMs = 86_400_000;
const daysMax = 366;

/** The days of an all-day event. Its end is the day after the last one. Other events have none. */
function daysOf(event: ReadonlyMap<string, string>): string[] {
  const begin = dayOf(event.get('DTSTART'));
  if (begin === undefined) return [];
  const end = dayOf(event.get('DTEND')) ?? begin + dayMs;
  const count = Math.min(Math.max(1, (end - begin) / dayMs), daysMax);
  return Array.from({ length: count }, (_, index) =>
    new Date(begin + index * dayMs).toISOString().slice(0, 10),
  );
}

function dayOf(value = ''): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(value) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : time;
}
