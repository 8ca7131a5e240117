/** The innermost states of a snapshot's value: `plan.intake.identify` is `identify`. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value)
    .map(valueText)
    .filter((text) => text !== '')
    .join(' · ');
}

/** A value on one line. */
export function shortText(value: unknown, longest = 120): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** `1.2 s`, `350 ms`, `2 min 5 s`, `3 h 2 min`. */
export function durationText(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `14:03:07.250`, in local time. */
export function timeText(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const milliseconds = String(date.getMilliseconds()).padStart(3, '0');
  return `${date.toLocaleTimeString('en-GB')}.${milliseconds}`;
}

/** The day and `timeText`. */
export function dateText(at: number): string {
  return `${new Date(at).toLocaleDateString()} ${timeText(at)}`;
}
