import type { DecisionSummary } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { writeDecision } from '../../src/cli/host/print/decision.ts';

const now = Date.UTC(2026, 2, 2, 9, 30);
const decision: DecisionSummary = {
  decision: 'order-1/a',
  id: 'a',
  key: 'order-1/0',
  instance: 'order-1',
  definition: { name: 'order', version: 'f00d' },
  prompt: 'Refund?',
  options: ['approve', 'reject'],
};

test.for([
  [now + 600_000, 'in 10 min'],
  [now, 'due'],
  [now - 300_000, 'due, 5 min late'],
] as const)('an open decision with a deadline of %d is %s', ([until, text]) => {
  let written = '';
  const output = {
    write: (part: string) => (written += part),
    paint: (_: unknown, part: string) => part,
    colour: false,
    isTerminal: false,
    width: () => 80,
  };
  writeDecision(output, { ...decision, until }, now);
  expect(written).toBe(`order-1/a  order, ${text}\n  Refund?\n  approve, reject\n`);
});
