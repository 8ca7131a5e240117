import { describe, expect, test } from 'vitest';
import type { Range } from '../src/diagnostic.ts';
import { printPath } from '../src/json.ts';
import { read } from '../src/read/read.ts';

const yaml = (text: string) => read(text, { language: 'yaml' });

const printRange = ({ start, end }: Range) =>
  `${start.line}:${start.column}-${end.line}:${end.column}`;

function findingsIn(text: string): string[] {
  return yaml(text).diagnostics.map(
    ({ code, path, range, message, hint = '' }) =>
      `${printRange(range)} ${code} [${printPath(path)}] ${message} ${hint}`,
  );
}

function placeOf(text: string, path: readonly (string | number)[], part?: 'value' | 'key'): string {
  const { start, end } = yaml(text).locate(path, part);
  return `${printRange({ start, end })} ${text.slice(start.offset, end.offset)}`;
}

const items = (levels: number) => `${'- '.repeat(levels)}a`;
const sixtyAround = (inner: string) => `${'['.repeat(60)}${inner}${']'.repeat(60)}`;

test('a YAML text gives its value', () => {
  const source = yaml(`
id: greeting   # a comment
tasks:
  - ask
  - { type: answer, tries: 3 }
text: |
  one
  two
folded: >-
  one
  two
'quoted': "\\u00e9\\n"
`);
  expect(source.diagnostics).toEqual([]);
  expect(source.value).toEqual({
    id: 'greeting',
    tasks: ['ask', { type: 'answer', tries: 3 }],
    text: 'one\ntwo\n',
    folded: 'one two',
    quoted: 'é\n',
  });
});

test('scalars are read by the core schema of YAML 1.2', () => {
  const text = '[1, -2.5e3, 0x1F, 0o17, 012, true, False, null, ~, "1", yes, 1_000, 2001-01-01]';
  const value = [1, -2500, 31, 15, 12, true, false, null, null, '1', 'yes', '1_000', '2001-01-01'];
  expect(yaml(text)).toMatchObject({ value, diagnostics: [] });
  expect(yaml(`%YAML 1.1\n---\n${text}`)).toMatchObject({ value, diagnostics: [] });
});

test('keys are texts, exactly as written', () => {
  const source = yaml('1.0: a\ntrue: b\nnull: c\n0x10: d\n? e\n');
  expect(source).toMatchObject({
    value: { '1.0': 'a', true: 'b', null: 'c', '0x10': 'd', e: null },
    diagnostics: [],
  });
});

test('a byte order mark is skipped, and \\r ends a line', () => {
  const text = '\uFEFFa: 1\rb:\r\n  - .nan\r';
  expect(findingsIn(text)).toEqual([
    '3:5-3:9 read/not-json-value [b[0]] ".nan" is not a number that JSON has. Write null, or the word in quotes.',
  ]);
  expect(placeOf(text, ['a'], 'key')).toBe('1:2-1:3 a');
});

describe('a merge', () => {
  const text =
    'base: &base {x: 1, y: 2}\nmerged:\n  <<: *base\n  y: 3\nlist: {z: 0, <<: [*base, {w: 4, x: 5}]}\n';

  test('adds only keys that the object does not have', () => {
    expect(yaml(text)).toMatchObject({
      value: {
        base: { x: 1, y: 2 },
        merged: { x: 1, y: 3 },
        list: { z: 0, x: 1, y: 2, w: 4 },
      },
      diagnostics: [],
    });
  });

  test('locates a merged key where it is written', () => {
    expect(placeOf(text, ['merged', 'x'], 'key')).toBe('1:14-1:15 x');
    expect(placeOf(text, ['merged', 'y'])).toBe('4:6-4:7 3');
    expect(placeOf(text, ['list', 'w'])).toBe('5:30-5:31 4');
  });

  test('keeps the precedence of keys when merges are nested', () => {
    const nested = 'a: &a {k: a, l: a}\nb: &b {<<: *a, k: b}\nc: {<<: *b}';
    expect(yaml(nested).value).toMatchObject({ b: { k: 'b', l: 'a' }, c: { k: 'b', l: 'a' } });
  });

  test('needs the key `<<` without quotes', () => {
    expect(yaml('"<<": 1').value).toEqual({ '<<': 1 });
  });
});

describe('an alias', () => {
  const text = 'a: &x\n  k: [1]\nb: *x\nc: [*x]\n';

  test('gives a copy that shares no object with the anchor', () => {
    const value = yaml(text).value as { a: object; b: object; c: object[] };
    expect(value).toEqual({ a: { k: [1] }, b: { k: [1] }, c: [{ k: [1] }] });
    expect(new Set([value.a, value.b, value.c[0]]).size).toBe(3);
  });

  test('is located where it is written, and its parts at the anchor', () => {
    expect(placeOf(text, ['b'])).toBe('3:4-3:6 *x');
    expect(placeOf(text, ['c', 0])).toBe('4:5-4:7 *x');
    expect(placeOf(text, ['c', 0, 'k'], 'key')).toBe('2:3-2:4 k');
    expect(placeOf(text, ['c', 0, 'k', 0])).toBe('2:7-2:8 1');
  });

  test('refers to the last anchor before it, even inside a repeated part', () => {
    expect(yaml('- &x 1\n- &y [*x]\n- &x 2\n- *y\n- *x').value).toEqual([1, [1], 2, [1], 2]);
  });

  test('can be a key', () => {
    expect(yaml('&k name: 1\nb: {*k : 2}')).toMatchObject({
      value: { name: 1, b: { name: 2 } },
      diagnostics: [],
    });
  });
});

describe('a mistake in the syntax of YAML', () => {
  const nested =
    'This value has a key or list item of its own where only a text can stand. Begin what belongs to the key in the next line, indented deeper; put a text with ": " in quotes.';

  test.each([
    ['a: b: c', `1:4-1:5 read/syntax [a.b] ${nested}`],
    ['a: 1\n- b', `2:1-2:2 read/syntax [[""]] ${nested}`],
    [
      'a:\n  b: 1\n c: 2',
      '3:2-3:6 read/syntax [c] This line begins in column 2, not in the column of the keys above it. Begin it in column 3, like the key in line 2.',
    ],
    ['a:\n\tb: 1', '2:1-2:2 read/syntax [] This line is indented with a tab. Indent with spaces.'],
    [
      'key: value\nother',
      '2:1-2:6 read/syntax [other] There is no colon after "other". Write "other:"; if it continues the text above, indent it deeper.',
    ],
    [
      'a: [1, 2\nb: 3',
      '2:1-2:2 read/syntax [b] A list in brackets is not closed before this. Write ] where the list ends.',
    ],
    [
      '{a: 1',
      '1:6-1:6 read/syntax [a] An object in braces is not closed before this. Write } where the object ends.',
    ],
    [
      'a: "b',
      '1:4-1:6 read/syntax [a] This text in quotes is not closed. Write " where the text ends.',
    ],
    [
      "a: 'it's'",
      `1:8-1:10 read/syntax [a] "s'" follows the closing quote. Inside of single quotes, write '' for an apostrophe.`,
    ],
    ['a: @b', '1:4-1:5 read/syntax [a] A text cannot begin with "@". Put the text in quotes.'],
    [
      'a: [1,,2]',
      '1:7-1:8 read/syntax [a[1]] There is nothing before this comma. Delete the comma, or write what is missing.',
    ],
    [
      'a: ]',
      '1:4-1:5 read/syntax [a] There is nothing open that this "]" could close. Delete it, or put it in quotes if it is part of a text.',
    ],
    [
      'a: "\\q"',
      '1:5-1:6 read/syntax [a] This is not an escape that YAML has. Write \\\\ for a backslash, or put the text in single quotes.',
    ],
    [
      '- &anchor 1\n- *anhcor',
      '2:3-2:10 read/syntax [[1]] There is no anchor "anhcor" before this alias. Did you mean "anchor"?',
    ],
  ])('%j is reported once, at its position, with what to do', (text, finding) => {
    expect(findingsIn(text)).toEqual([finding]);
  });

  test('does not hide other findings', () => {
    expect(
      yaml('a: @x\nb: 1\nc: `y`\nb: 2\n').diagnostics.map(
        ({ code, range }) => `${printRange(range)} ${code}`,
      ),
    ).toEqual(['1:4-1:5 read/syntax', '3:4-3:5 read/syntax', '4:1-4:2 read/duplicate-key']);
  });
});

describe('a mistake in the structure of a YAML text', () => {
  const plan = [
    'title: Reception',
    'states:',
    '  - id: greeting',
    '    title: Greeting',
    '    tasks:',
    '      - id: name',
    '        results:',
    '          - key: name',
    '            type: string',
    '    transitions:',
    '      - target_state_id: farewell',
    '        priority: 1',
    '  - id: farewell',
    '    title: Farewell',
  ];
  const changed = (index: number, change: (line: string) => string) =>
    plan.map((line, at) => (at === index ? change(line) : line)).join('\n');
  const lines = plan.map((line, index): [string, number] => [line.trim(), index]);

  test.each(lines.filter(([, index]) => index > 2))(
    'gives at most one finding, however "%s" is indented',
    (line, index) => {
      for (const indent of [-2, -1, 1, 2]) {
        const text = changed(index, (whole) =>
          indent > 0 ? ' '.repeat(indent) + whole : whole.slice(-indent),
        );
        expect(findingsIn(text).length, `${line} by ${indent}`).toBeLessThanOrEqual(1);
      }
    },
  );

  test.each(lines.filter(([, index]) => index > 2))(
    'gives one finding at the tab when a tab indents "%s"',
    (_, index) => {
      const [finding, ...others] = findingsIn(changed(index, (whole) => `\t${whole.trim()}`));
      expect(others).toEqual([]);
      expect(finding).toContain(`${index + 1}:1-`);
      expect(finding).toContain('This line is indented with a tab.');
    },
  );

  test('gives one finding that lists the lines when tabs indent all lines', () => {
    const text = plan.join('\n').replace(/^ +/gm, (spaces) => '\t'.repeat(spaces.length / 2));
    expect(findingsIn(text)).toEqual([
      '3:1-3:2 read/syntax [states[0]] This line is indented with a tab. Indent with spaces, here and in lines 4, 5, 6, 7, 8, ….',
    ]);
  });

  test.each([
    [changed(0, () => 'title Reception'), '1:1', 'There is no colon after "title".'],
    [changed(0, () => 'title:Reception'), '1:1', 'There is no space after the colon of "title".'],
    [changed(3, () => '    title "Greeting"'), '4:5', 'There is no colon after "title".'],
    [changed(0, () => 'title: "Reception'), '1:8', 'This text in quotes is not closed.'],
    [changed(3, () => "    title: 'Greeting"), '4:12', 'This text in quotes is not closed.'],
  ])('gives one finding at the place to change: %#', (text, place, message) => {
    const found = findingsIn(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`${place}-`);
    expect(found[0]).toContain(message);
  });

  test('gives the same finding with Windows line ends and a byte order mark', () => {
    const [unix] = findingsIn(changed(3, (line) => ` ${line}`));
    const windows = findingsIn(
      `\uFEFF${changed(3, (line) => ` ${line}`).replaceAll('\n', '\r\n')}`,
    );
    expect(windows).toEqual([unix]);
  });
});

describe('YAML that a definition must not contain', () => {
  const empty =
    '1:1-1:1 read/empty [] There is no definition in this text. Write one in JSON or in YAML.';
  const noTag = 'does not fit a value of JSON. Delete the tag.';
  const noKey = 'A list or object cannot be a key. Write the key as a text.';

  test.each([
    ['# soon\n', empty],
    ['---\n', empty],
    [
      'a: 1\n---\nb: 2',
      '2:1-2:4 read/not-json-value [] A second document begins here; a definition is one. Keep one, and put each of the others into a file of its own.',
    ],
    ['a: !!binary aGk=', `1:4-1:12 read/not-json-value [a] The tag "!!binary" ${noTag}`],
    ['a: !!set {b}', `1:4-1:9 read/not-json-value [a] The tag "!!set" ${noTag}`],
    ['a: !!int b', `1:4-1:9 read/not-json-value [a] The tag "!!int" ${noTag}`],
    ['- !own {b: 1}', `1:3-1:7 read/not-json-value [[0]] The tag "!own" ${noTag}`],
    ['? [a, b]\n: 1', `1:3-1:9 read/not-json-value [] ${noKey}`],
    ['a: {{b: 1}: 2}', `1:5-1:11 read/not-json-value [a] ${noKey}`],
    [
      'a: -.inf',
      '1:4-1:9 read/not-json-value [a] "-.inf" is not a number that JSON has. Write null, or the word in quotes.',
    ],
    [
      'a: 1e400',
      '1:4-1:9 read/not-json-value [a] The number "1e400" is too large. Write a smaller one, or write it in quotes.',
    ],
    [
      'a: 9007199254740993',
      '1:4-1:20 read/unsafe-number [a] The number 9007199254740993 loses digits: it is read as 9007199254740992. Write it in quotes if every digit matters.',
    ],
    [
      'a: 1\n"a": 2',
      '2:1-2:4 read/duplicate-key [a] The key "a" is in this object twice. Delete one of the two, or give it another name.',
    ],
    [
      'a: {__proto__: {b: 1}}',
      '1:5-1:14 read/reserved-key [a.__proto__] The key "__proto__" is reserved. Give it another name.',
    ],
    [
      'a: &a [1, {b: *a}]',
      '1:15-1:17 read/cyclic-alias [a[1].b] The alias "*a" repeats the part that contains it. Write out here what is meant, or move the anchor "&a" to a part that does not hold this alias.',
    ],
    [
      'a: &a\n  <<: *a',
      '2:7-2:9 read/cyclic-alias [a] The alias "*a" repeats the part that contains it. Write out here what is meant, or move the anchor "&a" to a part that does not hold this alias.',
    ],
    [
      '<<: 1',
      '1:5-1:6 read/not-json-value [] A merge takes an object or a list of objects. Write <<: *name, with the anchor of an object.',
    ],
    [
      'a: "b\\0"',
      '1:4-1:9 read/control-character [a] There is a control character here (U+0000). Delete it. If there are many, this file may not be a text, or not be saved as UTF-8.',
    ],
    [
      'a: b\u0007',
      '1:5-1:6 read/control-character [a] There is a control character here (U+0007). Delete it. If there are many, this file may not be a text, or not be saved as UTF-8.',
    ],
  ])('%j is reported', (text, finding) => {
    expect(findingsIn(text)).toEqual([finding]);
  });

  test('core tags are read without a finding', () => {
    expect(yaml('[!!str 1, !!float 1.5, !!map {a: !!null ""}, !!seq [], ! 2]')).toMatchObject({
      value: ['1', 1.5, { a: null }, [], '2'],
      diagnostics: [],
    });
  });

  test('no key changes a prototype, not even through a merge', () => {
    const { value } = yaml('a: &a {__proto__: {polluted: true}, toString: 1}\nb: {<<: *a}\nc: *a');
    expect(value).toEqual({ a: { toString: 1 }, b: { toString: 1 }, c: { toString: 1 } });
    expect('polluted' in {}).toBe(false);
  });

  test('a hundred levels are read, one more is too deep', () => {
    expect(findingsIn(items(100))).toEqual([]);
    expect(yaml(items(101))).toMatchObject({
      value: undefined,
      diagnostics: [{ code: 'read/too-deep', range: { start: { offset: 200 } } }],
    });
  });

  test('levels inside aliases count, and the outermost alias is reported', () => {
    expect(findingsIn(`a: &a ${sixtyAround('1')}\nb: ${sixtyAround('*a')}`)).toEqual([
      expect.stringContaining('2:64-2:66 read/too-deep [b[0]'),
    ]);
  });
});

describe('a part of a YAML value', () => {
  const text = 'tasks:\n  - id: a\n    note: >\n      one\n      two\n  - [7, 8]\nnone:\n';

  test.each([
    ['the root', [], 'value', text.slice(0, -1)],
    ['a member', ['tasks', 0, 'id'], 'value', 'a'],
    ['a key', ['tasks', 0, 'note'], 'key', 'note'],
    ['a text of several lines', ['tasks', 0, 'note'], 'value', '>\n      one\n      two\n'],
    ['an item', ['tasks', 1, 1], 'value', '8'],
    ['the key of an item, which is its value', ['tasks', 1], 'key', '[7, 8]'],
    ['a missing member, at the object that lacks it', ['tasks', 1, 'name'], 'value', '[7, 8]'],
    ['an empty value, after its colon', ['none'], 'value', ''],
  ] as const)('is located: %s', (_, path, part, found) => {
    const { start, end } = yaml(text).locate(path, part);
    expect(text.slice(start.offset, end.offset)).toBe(found);
  });
});
