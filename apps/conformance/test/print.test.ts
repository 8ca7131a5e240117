import { expect, test } from 'vitest';
import { cut, printed } from '../src/print.ts';

test('two short lines are printed in full', () => {
  expect(cut('output: 1', 'output: 2', 20)).toEqual(['output: 1', 'output: 2']);
  expect(cut('first\n  second', 'first', 20)).toEqual(['first ⏎ second', 'first']);
});

test('two lines that do not fit are cut at the same column, and the difference stays visible', () => {
  const long = 'x'.repeat(500);
  for (const [expected, actual] of [
    [`${long}1`, `${long}2`],
    [`1${long}`, `2${long}`],
    [`${long}1${long}`, `${long}2${long}`],
    [`${long}1${long}`, long],
  ] as const) {
    const [one, other] = cut(expected, actual, 60);
    expect(one.length).toBeLessThanOrEqual(60);
    expect(other.length).toBeLessThanOrEqual(60);
    expect(one).not.toBe(other);
    expect(one).toContain('1');
  }
  expect(cut(`${long}1`, `${long}2`, 12)).toEqual(['…xxxxxxxxxx1', '…xxxxxxxxxx2']);
});

test('a report has counts by area and by group, a total, and the failures', () => {
  const report = {
    folder: 'cases',
    layout: 'amazon-states',
    passed: 1999,
    total: 2000,
    areas: { base: { passed: 1, total: 2 }, express: { passed: 1998, total: 1998 } },
    groups: { 'query language': { JSONata: { passed: 1999, total: 2000 } } },
    failures: [{ area: 'base', id: 'wait', expected: 'output: 1', actual: 'output: 2' }],
    remarks: [{ area: 'base', id: 'fail', expected: 'cause: "a"', actual: 'cause: "b"' }],
  };
  expect(printed(report, 80)).toBe(`cases (amazon-states)
by area
  base     1/2 (50.0 %)
  express  1998/1998 (100.0 %)
by query language
  JSONata  1999/2000 (99.9 %)
  in all   1999/2000 (99.9 %)

Remarks on 1 passing case are in the report of --json.

base wait
  - output: 1
  + output: 2
`);
});
