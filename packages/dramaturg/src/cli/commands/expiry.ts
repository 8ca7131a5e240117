import { visible } from '@dramaturg/compiler/text';
import { UsageError } from '../usage-error.ts';

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A century in milliseconds. Later times are mistakes. */
const longest = 100 * 365 * 86_400_000;

/**
 * The time at which a token expires, in ISO 8601.
 *
 * @param given `90d`, `12h` or `30m` from now, or a time with its zone
 * @throws UsageError for other strings, and for a time in the past
 */
export function readExpiry(given: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,9})([mhd])$/.exec(given) ?? [];
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(given);
  const at = isTime ? Date.parse(given) : now + Number(count) * (units[unit] ?? Number.NaN);
  if (at > now && at - now <= longest) return new Date(at).toISOString();
  throw new UsageError(
    Number.isNaN(at)
      ? `"${visible(given)}" is not a time.`
      : `"${visible(given)}" is over, or more than a century away.`,
    'Write how long the token is valid, such as 90d, 12h or 30m, or a time such as 2027-03-02T09:30:00Z.',
  );
}
