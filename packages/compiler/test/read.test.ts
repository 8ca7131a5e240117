import { describe, expect, test } from 'vitest';
import type { Range } from '../src/diagnostic.ts';
import { printPath } from '../src/json.ts';
import { readProblems } from '../src/read/problems.ts';
import { read, type ReadOptions } from '../src/read/read.ts';

const printRange = ({ start, end }: Range) =>
  `${start.line}:${start.column}-${end.line}:${end.column}`;

/** Prints each finding as one line. */
function findingsIn(text: string, options: ReadOptions = { language: 'json' }): string[] {
  return read(text, options).diagnostics.map(
    ({ code, path, range, message, hint = '' }) =>
      `${printRange(range)} ${code} [${printPath(path)}] ${message} ${hint}`,
  );
}

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('a JSON text gives its value', () => {
  const source = read('{ "id": "greeting", "tasks": [1, -2.5e3, true, null, "\\u00e9\\n"] }');
  expect(source.value).toEqual({ id: 'greeting', tasks: [1, -2500, true, null, 'é\n'] });
  expect(source.diagnostics).toEqual([]);
});

test('comments and trailing commas are read without a finding', () => {
  const text = '// a plan\n{ "a": [1, 2, /* three */], }';
  expect(read(text)).toMatchObject({ value: { a: [1, 2] }, diagnostics: [] });
});

test('a finding has its range in lines, columns and offsets, and related places', () => {
  expect(read('{\n  "a": 1,\n  "a": 2\n}').diagnostics).toEqual([
    {
      code: 'read/duplicate-key',
      severity: 'error',
      path: ['a'],
      range: {
        start: { line: 3, column: 3, offset: 14 },
        end: { line: 3, column: 6, offset: 17 },
      },
      message: 'The key "a" is in this object twice.',
      hint: 'Delete one of the two, or give it another name.',
      related: [
        {
          path: ['a'],
          range: {
            start: { line: 2, column: 3, offset: 4 },
            end: { line: 2, column: 6, offset: 7 },
          },
          message: 'It is here first.',
        },
      ],
    },
  ]);
});

test('a byte order mark is skipped and counted in positions', () => {
  const source = read('\uFEFF{"a": x}');
  expect(source.diagnostics[0]?.range.start).toEqual({ line: 1, column: 8, offset: 7 });
  expect(read('\uFEFF{"a": 1}')).toMatchObject({ value: { a: 1 }, diagnostics: [] });
});

test('lines end with \\n, \\r\\n or \\r', () => {
  expect(findingsIn('[\n1,\r\n2,\r3,\n\rx]')).toEqual([
    '6:1-6:2 read/syntax [[3]] The text "x" is not in double quotes. Write " before and after the whole text.',
  ]);
});

describe('the language', () => {
  test.each([
    ['as requested', '{a: 1}', { language: 'yaml' }, { a: 1 }],
    ['by the suffix .yml', '{a: 1}', { fileName: 'one.plan.YML' }, { a: 1 }],
    ['by the suffix .json', '"a"', { fileName: 'a.yaml.json' }, 'a'],
    ['by the suffix .jsonc', '// one\n1', { fileName: 'a.jsonc' }, 1],
    ['by a brace at the beginning', ' \r\n{"a": 1, /**/}', {}, { a: 1 }],
    ['by a JSON comment at the beginning', '/* c */ [1,]', { fileName: 'plan' }, [1]],
    ['YAML otherwise', '- 1', { fileName: 'plan.txt' }, [1]],
  ] as const)('is detected: %s', (_, text, options, value) => {
    expect(read(text, options)).toMatchObject({ value, diagnostics: [] });
  });
});

describe('a mistake in the syntax of JSON', () => {
  test.each([
    [
      '{"a":1 "b":2}',
      '1:8-1:11 read/syntax [] There is no comma between these two items. Write a comma before this one.',
    ],
    [
      '[1,,2]',
      '1:4-1:5 read/syntax [[1]] There is nothing before this comma. Delete the comma, or write what is missing.',
    ],
    [
      '{"a":1,,}',
      '1:8-1:9 read/syntax [] There is nothing between these two commas. Delete one of them.',
    ],
    [
      '{"a" 1}',
      '1:6-1:7 read/syntax [a] There is no colon after the key "a". Write a colon and then the value.',
    ],
    [
      '{"a":}',
      '1:6-1:7 read/syntax [a] The key "a" has no value. Write its value after the colon.',
    ],
    [
      '{a: 1}',
      '1:2-1:3 read/syntax [] The key "a" is not in double quotes. Write it as "a", with a colon after it.',
    ],
    [
      "{'a': 'b'}",
      '1:2-1:5 read/syntax [] JSON knows only straight double quotes. Write " before and after the text.',
    ],
    ['[True]', '1:2-1:6 read/syntax [[0]] "True" is not a value that JSON has. Write true.'],
    [
      '[.5]',
      '1:2-1:4 read/syntax [[0]] ".5" is not how JSON writes a number. Begin with a digit, or with a minus and a digit.',
    ],
    [
      '[01]',
      '1:3-1:4 read/syntax [[1]] A number does not begin with 0. Delete the 0, or write the number in quotes.',
    ],
    [
      '[1.]',
      '1:2-1:4 read/syntax [[0]] "1." is not a complete number. Write the digits that are missing.',
    ],
    [
      '{} {}',
      '1:4-1:5 read/syntax [] There is more text after the end of the definition. Delete it: a text holds one definition.',
    ],
    [
      '{"a": "b\n}',
      '1:7-1:9 read/syntax [a] This text in quotes is not closed. Write " where it ends; a line break in it is written \\n.',
    ],
    [
      '["a\tb"]',
      '1:2-1:7 read/syntax [[0]] There is a tab in this text in quotes. Write \\t for it.',
    ],
    [
      '["\\\\ \\x"]',
      '1:6-1:8 read/syntax [[0]] "\\\\x" is not an escape that JSON has. Write \\\\ for a backslash.',
    ],
    [
      '["\\u12"]',
      '1:3-1:5 read/syntax [[0]] After \\u there are not four digits. Write four digits from 0 to 9 and a to f, as in \\u00e9.',
    ],
    [
      '[1}',
      '1:3-1:4 read/syntax [[1]] This } does not close the list around it. Write ] where the list ends.',
    ],
    [
      '# c\n{}',
      '1:1-1:2 read/syntax [] In JSON a comment does not begin with #. Begin it with //.',
    ],
    ['[1 /* c', '1:4-1:8 read/syntax [[1]] This comment is not closed. Write */ where it ends.'],
    ['{"a":', '1:6-1:6 read/syntax [a] The key "a" has no value. Write its value after the colon.'],
    [
      '[1,\u00a02]',
      '1:4-1:6 read/syntax [[1]] The invisible character U+00A0 is not allowed here. Delete it, or write it in double quotes if it is part of a text.',
    ],
  ])('%j is reported once, at its position, with what to do', (text, finding) => {
    expect(findingsIn(text)).toEqual([finding]);
  });

  test('names the bracket that is never closed', () => {
    const [finding, ...others] = read('{"a": [1, {"b": 2').diagnostics;
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      path: ['a', 1],
      range: { start: { offset: 17 }, end: { offset: 17 } },
      message: 'The text ends before this object is closed.',
      related: [
        {
          path: ['a', 1],
          range: { start: { offset: 10 }, end: { offset: 11 } },
          message: 'The object begins here.',
        },
      ],
    });
  });

  test('does not prevent reading the rest of the text', () => {
    const source = read('{"a": nil, "b": [1 2], "c": 3 "d": 4}');
    expect(source.value).toEqual({ b: [1, 2], c: 3, d: 4 });
    expect(source.diagnostics.map(({ path }) => path)).toEqual([['a'], ['b', 1], []]);
  });
});

describe('JSON that a definition must not contain', () => {
  test.each([
    [
      '',
      '1:1-1:1 read/empty [] There is no definition in this text. Write one in JSON or in YAML.',
    ],
    [
      ' \n// soon\n',
      '1:1-1:1 read/empty [] There is no definition in this text. Write one in JSON or in YAML.',
    ],
    [
      '{"__proto__": 1}',
      '1:2-1:13 read/reserved-key [__proto__] The key "__proto__" is reserved. Give it another name.',
    ],
    [
      '[1e400]',
      '1:2-1:7 read/not-json-value [[0]] The number "1e400" is too large. Write a smaller one, or write it in quotes.',
    ],
    [
      '{"a": "b\0c"}',
      '1:9-1:10 read/control-character [a] There is a control character here (U+0000). Delete it. If there are many, this file may not be a text, or not be saved as UTF-8.',
    ],
    [
      '["\\u0000"]',
      '1:2-1:10 read/control-character [[0]] There is a control character here (U+0000). Delete it. If there are many, this file may not be a text, or not be saved as UTF-8.',
    ],
  ])('%j is reported', (text, finding) => {
    expect(findingsIn(text)).toEqual([finding]);
  });

  test('only an integer that loses digits gives a warning', () => {
    const source = read('[9007199254740993, 9007199254740992, -12345678901234567890, 1.5e300]');
    expect(
      source.diagnostics.map(({ severity, path, message }) => ({ severity, path, message })),
    ).toEqual([
      {
        severity: 'warning',
        path: [0],
        message: 'The number 9007199254740993 loses digits: it is read as 9007199254740992.',
      },
      {
        severity: 'warning',
        path: [2],
        message:
          'The number -12345678901234567890 loses digits: it is read as -12345678901234567000.',
      },
    ]);
  });

  test('no key changes a prototype, and `constructor` and `toString` are ordinary keys', () => {
    const { value } = read('{"__proto__": {"polluted": true}, "constructor": 1, "toString": 2}');
    expect(Object.entries(value as object)).toEqual([
      ['constructor', 1],
      ['toString', 2],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  test('the last value of a duplicate key is used and located', () => {
    const text = '{"a": 1, "b": 0, "a": 2}';
    expect(read(text).value).toEqual({ a: 2, b: 0 });
    expect(read(text).locate(['a']).start.offset).toBe(22);
  });

  test('a hundred levels are read, one more is too deep', () => {
    expect(findingsIn(nested(100))).toEqual([]);
    const source = read(nested(101));
    expect(source.value).toBeUndefined();
    expect(source.diagnostics).toMatchObject([
      { code: 'read/too-deep', range: { start: { offset: 100 }, end: { offset: 101 } } },
    ]);
  });

  test('a text longer than the limit is refused unread', () => {
    expect(findingsIn('x'.repeat(1001), { language: 'json', maxLength: 1000 })).toEqual([
      '1:1-1:1 read/too-large [] This text has 1,001 characters; at most 1,000 are read. Split the definition into several.',
    ]);
    expect(findingsIn('[1]', { maxLength: 3 })).toEqual([]);
  });
});

test('every kind of problem has its own code', () => {
  expect(readProblems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
    'error read/empty',
    'error read/too-large',
    'error read/syntax',
    'error read/duplicate-key',
    'error read/too-deep',
    'error read/control-character',
    'error read/reserved-key',
    'error read/cyclic-alias',
    'error read/too-many-aliases',
    'error read/not-json-value',
    'warning read/unsafe-number',
  ]);
});
