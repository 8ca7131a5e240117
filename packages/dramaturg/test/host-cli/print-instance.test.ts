import { widthOf } from '@dramaturg/compiler/text';
import type { InstanceView } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { writeInstance } from '../../src/cli/host/commands/show.ts';
import { localTime } from '../../src/cli/host/print/time.ts';

const now = Date.UTC(2026, 2, 2, 9, 30);

const instance: InstanceView = {
  id: 'order-1',
  definition: { name: 'order', version: 'f00d' },
  state: 'RUNNING',
  ended: false,
  createdAt: now,
  updatedAt: now,
  address: null,
  channel: null,
  holdsContact: false,
  isAnswering: false,
  children: [],
  lifecycle: {},
  flow: 'Charge',
  undelivered: [],
  calls: [],
  decisions: [],
  timers: [],
  used: { calls: 0, time: 0, requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 },
  transcriptLength: 0,
  journalLength: 0,
  input: {},
  states: [],
  waits: [],
};

function printed(
  fields: Partial<InstanceView>,
  {
    full = false,
    isTerminal = true,
  }: { readonly full?: boolean; readonly isTerminal?: boolean } = {},
): string {
  let text = '';
  const output = {
    write: (part: string) => void (text += part),
    paint: (_: unknown, part: string) => part,
    colour: false,
    isTerminal,
    width: () => 80,
  };
  writeInstance(output, { ...instance, ...fields }, { full, now });
  return text;
}

test('large data take four lines of a terminal, and say how to see the rest', () => {
  const text = printed({ input: { names: '世界 '.repeat(500) }, output: 'x'.repeat(5_000) });
  for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(80);
  expect(text.split('\n').length).toBeLessThanOrEqual(16);
  expect(text).toMatch(/…\n {23}\(3\.5 kB; --full shows all\)\n/);
  expect(text).toMatch(/…\n {23}\(5\.0 kB; --full shows all\)\n/);
});

test('with --full, all data are printed', () => {
  const names = ['one', 'two'];
  const text = printed({ input: { names }, output: 'x'.repeat(5_000) }, { full: true });
  expect(text).toContain('"names": [\n                           "one",');
  expect(text).toContain('x'.repeat(5_000));
});

test('a value in a pipe is one line', () => {
  const text = printed({ input: { text: 'word '.repeat(1_000) } }, { isTerminal: false });
  expect(text).toMatch(/^ {2}input +\{"text":"word .*… \(5\.0 kB; --full shows all\)$/m);
});

test('a failure has its error, its cause and its state, without control characters', () => {
  const state = {
    path: [
      { state: 'Orders', item: 3 },
      { state: 'Both', branch: 0 },
      { state: 'Charge\u001b[2J' },
    ],
    position: { line: 14, column: 7 },
  };
  expect(
    printed({ failure: { error: 'Card.Declined', cause: 'It is\nexpired.\u001b[2J', state } }),
  ).toContain(
    `  error                Card.Declined
  cause                It is
                       expired.␛[2J
  failed in            Orders › item 3 › Both › branch 0 › Charge␛[2J, line 14
`,
  );
});

test('a wait has its state and its times; more than ten are counted', () => {
  const wait = (item: number): InstanceView['waits'][number] => ({
    for: 'token',
    source: 'flow',
    token: `${item}.t`,
    path: [{ state: 'Sign', item }],
    since: now - 60_000,
    timeoutAt: now + 3_600_000,
  });
  const waits = Array.from({ length: 12 }, (_, item) => wait(item));
  expect(printed({ waits })).toContain(`  waits for            the task token 9.t
                       in Sign › item 9
                       since 1 min ago (${localTime(now - 60_000)})
                       times out in 1 h (${localTime(now + 3_600_000)})
                       and 2 more; --full shows all
`);
  expect(printed({ waits }, { full: true })).toContain('the task token 11.t');
});
