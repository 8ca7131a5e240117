import { widthOf } from '@dramaturg/compiler/text';
import { expect, test } from 'vitest';
import { foldStateChanges, withTextOnce } from '../../src/cli/host/commands/logs.ts';
import { writeTable } from '../../src/cli/host/print/table.ts';
import {
  bothDueTimes,
  bothTimes,
  dueTime,
  localTime,
  localTimeMs,
  relativeTime,
} from '../../src/cli/host/print/time.ts';

const now = Date.UTC(2026, 2, 2, 9, 30);

test.for([
  [now, 'now'],
  [now + 900, 'now'],
  [now + 12 * 60_000, 'in 12 min'],
  [now + 59_400, 'in 59 s'],
  [now - 3 * 3_600_000, '3 h ago'],
  [now - 10 * 86_400_000, '10 d ago'],
] as const)('%d is %s', ([at, text]) => {
  expect(relativeTime(at, now)).toBe(text);
});

test.for([
  [now + 12 * 60_000, 'in 12 min'],
  [now, 'due'],
  [now - 900, 'due'],
  [now - 28 * 60_000, 'due, 28 min late'],
  [now - 10 * 86_400_000, 'due, 10 d late'],
] as const)('a timer of %d is %s', ([at, text]) => {
  expect(dueTime(at, now)).toBe(text);
  expect(bothDueTimes(at, now)).toBe(`${text} (${localTime(at)})`);
});

test('a time is printed relative to now and as a date', () => {
  expect(bothTimes(now + 60_000, now)).toBe(`in 1 min (${localTime(now + 60_000)})`);
  expect(localTime(Infinity)).toBe('Infinity');
  expect(localTimeMs(Infinity)).toBe('Infinity');
});

test('a time is that of the time zone of the machine', () => {
  const local = (at: number) => new Date(localTime(at).replace(' ', 'T')).getTime();
  expect(local(now)).toBe(now);
  expect(localTimeMs(now + 417)).toBe(`${localTime(now)}.417`);
});

test('changes of the state in a row are one line with the time of the last', () => {
  const line = (role: 'agent' | 'contact' | 'system', text: string, at: number) => ({
    id: String(at),
    role,
    text,
    at,
  });
  const lines = [
    line('contact', 'Ada', 1),
    line('system', 'WAITING_FOR_REPLY → WAITING_FOR_AGENT', 2),
    line('system', 'WAITING_FOR_AGENT → ACTIVE', 3),
    line('agent', 'A → B', 4),
    line('system', 'ACTIVE → PAUSED', 5),
    line('system', 'RUNNING', 6),
    line('system', 'RUNNING → FAILED: no agent', 7),
    line('system', 'FAILED → ACTIVE', 8),
  ];
  expect(foldStateChanges(lines).map(({ text, at }) => [text, at])).toEqual([
    ['Ada', 1],
    ['WAITING_FOR_REPLY → WAITING_FOR_AGENT → ACTIVE', 3],
    ['A → B', 4],
    ['ACTIVE → PAUSED', 5],
    ['RUNNING → FAILED: no agent', 7],
    ['FAILED → ACTIVE', 8],
  ]);
});

test('tail prints the text of a message once, although two events have it', () => {
  const about = { instance: 'a', at: now };
  const said = { type: 'message.sent', text: 'Hello.', key: 'a/0/reply' };
  const sent = { type: 'message.send.requested', id: 'a/0/reply', text: 'Hello.' };
  const printed = [
    withTextOnce({ ...about, source: 'flow', event: said }),
    withTextOnce({ ...about, source: 'lifecycle', event: sent }),
  ];
  expect(JSON.stringify(printed).split('Hello.')).toHaveLength(2);
  expect(printed.map(({ event }) => event.type)).toEqual([
    'message.sent',
    'message.send.requested',
  ]);
});

test('a table is as wide as the terminal, and its widest columns are cut', () => {
  const rows = [
    { id: 'a', what: '世界'.repeat(30) },
    { id: 'b'.repeat(50), what: 'short\u001b[31m' },
  ];
  const printed = table(rows, 40);
  for (const line of printed.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(40);
  expect(printed).toContain('…');
  expect(printed).toContain('short␛[31m');
});

test('a terminal that is too narrow still gets columns of their smallest width', () => {
  expect(table([{ id: 'abcdefgh', what: 'something' }], 10)).toBe(
    'ID        WHAT\nabcdefgh  somet…\n',
  );
});

function table(rows: readonly { id: string; what: string }[], width: number): string {
  let printed = '';
  const output = {
    write: (text: string) => void (printed += text),
    paint: (_: unknown, text: string) => text,
    colour: false,
    isTerminal: false,
    width: () => width,
  };
  const columns = [
    { title: 'ID', text: ({ id }: { id: string }) => id, least: 8 },
    { title: 'WHAT', text: ({ what }: { what: string }) => what, least: 6 },
  ];
  writeTable(output, columns, rows);
  return printed;
}
