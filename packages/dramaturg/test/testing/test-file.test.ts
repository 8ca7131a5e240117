import { expect, test } from 'vitest';
import { readDuration } from '../../src/testing/test-file.ts';
import { readTestFile } from '../../src/testing/read-test-file.ts';

function findings(text: string) {
  return readTestFile(text, 'intake.test.yaml').diagnostics.map(
    ({ code, message, hint, range: { start } }) =>
      `${start.line}:${start.column} ${code} ${message} ${hint ?? ''}`.trim(),
  );
}

const step = (lines: string) => `tests:\n  - name: one\n    steps:\n      - ${lines}\n`;

test.each([
  [
    'a misspelt field',
    step('persn: Ada\n        state: a'),
    '4:9 shape/misspelt-field The field "persn" is unknown here. Did you mean "person"?',
  ],
  [
    'an unknown field',
    step('state: a\n        weather: fine'),
    '5:9 test/unknown-field A step has no field "weather".',
  ],
  [
    'two happenings',
    step('person: Ada\n        later: 2 days\n        state: a'),
    '4:9 test/two-happenings',
  ],
  ['no expectation', step('person: Ada'), '4:7 test/no-expectation This test cannot fail'],
  [
    'a time that is none',
    step('later: soon\n        state: a'),
    '4:16 test/bad-duration "soon" is not a length of time.',
  ],
  [
    'a pattern that is not valid',
    step('said: /(/'),
    '4:15 test/bad-pattern This pattern is not valid',
  ],
  [
    'an unknown port',
    step('state: a\n        answers: [{ replly: Hi }]'),
    'test/unknown-port There is no port "replly". Did you mean "reply"?',
  ],
  [
    'a failure of no port',
    step('state: a\n        answers: [{ fails: { port: rely } }]'),
    'shape/wrong-value',
  ],
  [
    'answers where nothing happens',
    `${step('state: a')}      - answers: [{ reply: Hi }]\n        state: b\n`,
    '5:18 test/answers-without-happening',
  ],
  [
    'a child that gets nothing',
    step('person: Ada\n        child: intake\n        state: a'),
    '5:16 test/child-without-event "child" says which agent gets an event, a token or a command',
  ],
  [
    'files without a message',
    step('later: 2 days\n        files: [a.pdf]\n        state: a'),
    '5:16 test/files-without-person "files" are sent with a message',
  ],
  [
    'a task without an end',
    step('task: { state: Ask }\n        state: a'),
    '4:15 test/unclear-task "task" does not say what becomes of the task. Write one of',
  ],
  [
    'a task with two ends',
    step('task: { completes: 1, fails: Busy }\n        state: a'),
    '4:15 test/unclear-task A task cannot do all of "completes" and "fails" in one step.',
  ],
  [
    'a field that a task does not have',
    step('task: { fails: Busy, cause: late }\n        state: a'),
    '4:30 test/unknown-field A task has no field "cause".',
  ],
  [
    'a heartbeat that does not come',
    step('task: { heartbeat: false }\n        state: a'),
    'shape/',
  ],
  ['a task that is a text', step('task: Ask\n        state: a'), '4:15 shape/wrong-type'],
  [
    'a column that is missing',
    `${step('person: <who>\n        state: a')}    examples: [{ whom: Ada }]\n`,
    'test/unknown-column The examples have no column "who". Did you mean "whom"?',
  ],
  [
    'two tests with one name',
    `${step('state: a')}  - name: one\n    steps: [{ state: a }]\n`,
    '5:5 test/same-name',
  ],
  ['a wrong shape', step('asks: name'), 'shape/wrong-type Expected a list, found the text "name".'],
  ['a moment that is none', `now: someday\n${step('state: a')}`, '1:6 test/bad-time'],
  ['no tests', 'tests: []', 'shape/'],
  ['a text that is not YAML', 'tests: [', ''],
])('%s is reported where it stands', (_, text, expected) => {
  const found = findings(text);
  expect(found.join('\n')).toContain(expected);
  expect(found.length).toBeGreaterThan(0);
  expect(readTestFile(text, 'intake.test.yaml').file).toBeUndefined();
});

test.each([
  ['2 days', 172_800_000],
  ['1 hour 30 minutes', 5_400_000],
  ['1 h and 1 min', 3_660_000],
  ['90s', 90_000],
  ['1.5 weeks', 907_200_000],
  ['250 ms', 250],
])('%s is %d milliseconds', (text, expected) => {
  expect(readDuration(text)).toBe(expected);
});

test.each(['', 'days', '2', '2 fortnights', '-2 days', '2 days ago', '9999999 weeks'])(
  '"%s" is no length of time',
  (text) => {
    expect(readDuration(text)).toBeUndefined();
  },
);
