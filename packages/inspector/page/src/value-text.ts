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
