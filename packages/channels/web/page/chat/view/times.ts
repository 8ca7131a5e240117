import { config, say } from '../config.ts';

const time = new Intl.DateTimeFormat(config.language, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(config.language, { dateStyle: 'full' });

const dayMs = 86_400_000;

export function timeText(at: number): string {
  return time.format(at);
}

/** The day of a time: today, yesterday or its date. */
export function dayText(at: number): string {
  const given = new Date(at).toDateString();
  if (given === new Date().toDateString()) return say('today');
  if (given === new Date(Date.now() - dayMs).toDateString()) return say('yesterday');
  return day.format(at);
}
