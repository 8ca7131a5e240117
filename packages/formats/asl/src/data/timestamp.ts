const pattern =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * Parses a timestamp of RFC 3339 with a capital `T` and an offset; undefined for any other string.
 * Spec: states-language.net/spec.html#timestamps
 *
 * @returns milliseconds since 1970 UTC
 */
export function parseTimestamp(text: string): number | undefined {
  const parts = pattern.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [, , , , , , , fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = parts;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  return (
    date.getTime() +
    ((hour * 60 + minute - offset) * 60 + second) * 1000 +
    Number(`0.${fraction === '' ? '0' : fraction}`) * 1000
  );
}

export function isTimestamp(text: string): boolean {
  return parseTimestamp(text) !== undefined;
}

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * `30s`, `24h`, `7d`, `100ms`, or bare seconds. Spec: Agent 6 §Timeouts
 *
 * @returns milliseconds; undefined when the string is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const parts = /^(-?\d{1,12}(?:\.\d{1,9})?)\s*(ms|s|m|h|d|w)?$/.exec(text.trim());
  return parts ? Number(parts[1]) * units[parts[2] ?? 's']! : undefined;
}

export function isDuration(text: string): boolean {
  return (parseDuration(text) ?? -1) >= 0;
}
