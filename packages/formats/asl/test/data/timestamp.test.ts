import { expect, test } from 'vitest';
import { parseDuration, parseTimestamp } from '../../src/data/timestamp.ts';

test.for([
  ['2026-01-20T10:30:00Z', Date.UTC(2026, 0, 20, 10, 30)],
  ['2026-01-20T10:30:00+01:30', Date.UTC(2026, 0, 20, 9, 0)],
  ['2026-01-20T10:30:00-01:00', Date.UTC(2026, 0, 20, 11, 30)],
  ['2026-01-20T10:30:00.25Z', Date.UTC(2026, 0, 20, 10, 30, 0, 250)],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
] as const)('%s', ([text, moment]) => {
  expect(parseTimestamp(text)).toBe(moment);
});

test.for([
  '2026-01-20',
  '2026-01-20T10:30:00',
  '2026-01-20 10:30:00Z',
  '2026-13-20T10:30:00Z',
  '2026-02-29T10:30:00Z',
  '2026-01-20T25:30:00Z',
  '2026-01-20T10:60:00Z',
  '2026-01-20T10:30:00+25:00',
  '2026-01-20t10:30:00z',
  '',
])('"%s" is not a timestamp', (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});

test.for([
  ['300', 300_000],
  ['30s', 30_000],
  ['30m', 1_800_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
  ['100ms', 100],
  ['1.5h', 5_400_000],
  ['-5m', -300_000],
] as const)('%s', ([text, milliseconds]) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.for(['', 'soon', '5 minutes', 'h', '1h30m', '9'.repeat(30)])(
  '"%s" is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);
