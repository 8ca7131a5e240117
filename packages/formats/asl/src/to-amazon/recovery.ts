import { isRecord, type Json, type Path } from '@dramaturg/compiler';
import type { Surroundings } from './surroundings.ts';

/** The jitters that Amazon has. */
const jitters = ['NONE', 'FULL'];

/** Retriers or catchers with Amazon's fields, and with the defaults written out that Amazon has otherwise. */
export function amazonRecovery(
  field: 'Retry' | 'Catch',
  entries: Json,
  at: Path,
  around: Surroundings,
): Json {
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry, index) => {
    if (!isRecord(entry)) return entry;
    return field === 'Retry'
      ? retrier(entry as Record<string, Json>, [...at, index], around)
      : catcher(entry as Record<string, Json>, around);
  });
}

function retrier(
  { MaxIntervalSeconds: longest, ...entry }: Record<string, Json>,
  at: Path,
  { exporting }: Surroundings,
): Json {
  const { JitterStrategy: jitter } = entry;
  if (typeof jitter === 'string' && !jitters.includes(jitter))
    exporting.cannot(
      [...at, 'JitterStrategy'],
      `Amazon has no jitter "${jitter}".`,
      'Write "FULL" or "NONE".',
    );
  const isLonger = longest !== undefined && entry['MaxDelaySeconds'] === undefined;
  return { ...entry, ...(isLonger && { MaxDelaySeconds: longest }) };
}

function catcher(entry: Record<string, Json>, { language }: Surroundings): Json {
  const isDefault = language === 'JSONPath' && entry['ResultPath'] === undefined;
  return isDefault ? { ...entry, ResultPath: '$.error' } : entry;
}
