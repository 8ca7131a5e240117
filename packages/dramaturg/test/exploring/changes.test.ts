import type { Json } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { changesOf, withChange } from '../../src/exploring/mutating/changes.ts';

const changed = (definition: Json) =>
  changesOf(definition).map((change) => [change.words, withChange(definition, change)] as const);

test('a target leads to another state of the definition, and never to the same one', () => {
  const definition = {
    StartAt: 'A',
    States: { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Succeed' } },
  };
  expect(changed(definition)).toEqual([
    ['leads to "B" instead of "A"', { ...definition, StartAt: 'B' }],
    [
      'leads to "A" instead of "B"',
      { ...definition, States: { ...definition.States, A: { Type: 'Pass', Next: 'A' } } },
    ],
  ]);
});

test('a comparison is exchanged, its limit is off by one, and a rule is dropped', () => {
  const rule = { Variable: '$.x', NumericGreaterThan: 5, Next: 'A' };
  const words = changesOf({ Choices: [rule] }).map((change) => change.words);
  expect(words).toEqual([
    'without item 1 of "Choices"',
    '"NumericGreaterThanEquals" instead of "NumericGreaterThan"',
    '"Variable" is "$.xx" instead of "$.x"',
    '"NumericGreaterThan" is 6 instead of 5',
    '"NumericGreaterThan" is 4 instead of 5',
  ]);
});

test('neighbours in an ordered list are swapped', () => {
  expect(changed({ transitions: [1, 2, 3] }).slice(3)).toEqual([
    ['items 1 and 2 of "transitions" are swapped', { transitions: [2, 1, 3] }],
    ['items 2 and 3 of "transitions" are swapped', { transitions: [1, 3, 2] }],
  ]);
});

test('a row of a table of transitions is dropped or leads elsewhere', () => {
  const definition = { states: ['A', 'B'], transitions: { A: { go: 'B' } } };
  expect(changed(definition).map(([words]) => words)).toEqual([
    'leads to "A" instead of "B"',
    'without the row "go"',
  ]);
});

test('a path is misspelt, and an expression is not', () => {
  expect(changesOf({ value: '$.x', values: ['{% 1 %}'] }).map(({ words }) => words)).toEqual([
    '"value" is "$.xx" instead of "$.x"',
    'without item 1 of "values"',
  ]);
});

test('a field of data or of time is forgotten, a path loses a step or is misspelt, and one of several sources is missing', () => {
  const state = { Type: 'Task', TimeoutSeconds: 9, ResultPath: '$.order.id' };
  const words = changesOf({ states: state, rows: { from: ['A', 'B'] } }).map((each) => each.words);
  expect(words.toSorted()).toEqual([
    '"ResultPath" is "$.id" instead of "$.order.id"',
    '"ResultPath" is "$.order" instead of "$.order.id"',
    '"ResultPath" is "$.order.idx" instead of "$.order.id"',
    '"TimeoutSeconds" is 10 instead of 9',
    '"TimeoutSeconds" is 8 instead of 9',
    'without "ResultPath"',
    'without "TimeoutSeconds"',
    'without item 1 of "from"',
    'without item 2 of "from"',
  ]);
});

test('a name in a text is misspelt, and a time has the wrong unit', () => {
  const definition = { Prompt: 'Pay {{$.sum}} to {{$.name}}?', Timeout: '2d' };
  expect(changesOf(definition).map(({ words }) => words)).toEqual([
    '{{$.sumx}} instead of {{$.sum}} in "Prompt"',
    '"Timeout" is "2h" instead of "2d"',
  ]);
});

test('another word of a closed list is taken', () => {
  const words = changesOf({ OnTimeout: 'Escalate', decision_type: 'pass', scope: 'total' }).map(
    (change) => change.words,
  );
  expect(words).toEqual([
    '"OnTimeout" is "AutoReject" instead of "Escalate"',
    '"decision_type" is "reject" instead of "pass"',
    '"scope" is "without_progress" instead of "total"',
  ]);
});
