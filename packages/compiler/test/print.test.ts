import { expect, test } from 'vitest';
import type { Diagnostic, Range } from '../src/diagnostic.ts';
import { diagnosticsToJson, printGithub } from '../src/print/json.ts';
import { partWithin, printPretty, widthOf } from '../src/print/pretty.ts';

const name = 'intake.plan.json';

/** The range of the first occurrence of a part of the text. */
function rangeOf(text: string, part: string): Range {
  const position = (offset: number) => {
    const before = text.slice(0, offset).split('\n');
    return { line: before.length, column: before.at(-1)!.length + 1, offset };
  };
  const start = text.indexOf(part);
  return { start: position(start), end: position(start + part.length) };
}

function unknownTarget(text: string, part: string, details: Partial<Diagnostic> = {}): Diagnostic {
  return {
    code: 'plan/unknown-target',
    severity: 'error',
    path: ['states', 0, 'target'],
    range: rangeOf(text, part),
    message: 'There is no state "farewel".',
    ...details,
  };
}

/** Lines as they are printed; the margin of the template is not. */
function lines(strings: TemplateStringsArray): string {
  return strings.raw[0]!.replace(/^\n/, '').replace(/^ {4}/gm, '').replace(/ *$/, '');
}

/** The two lines that show the source. */
function excerpt(text: string, range: Range, width: number): string[] {
  const printed = printPretty(
    [unknownTarget('', '', { range, path: [] })],
    { text, fileName: name },
    { width },
  );
  return printed.split('\n').slice(2, 4);
}

const text = `{
  "states": [
    { "id": "farewell" },
    { "target": "farewel" }
  ]
}`;

test('a finding is printed with its place, its line, its hint and related places', () => {
  const diagnostics = [
    unknownTarget(text, '"farewel"', {
      hint: 'Did you mean "farewell"?',
      related: [
        {
          path: ['states', 0],
          range: rangeOf(text, '"farewell"'),
          message: '"farewell" is declared here.',
        },
      ],
    }),
    unknownTarget(text, '{', {
      severity: 'warning',
      code: 'plan/odd',
      path: [],
      message: 'This is odd.',
    }),
    unknownTarget(text, '"id"', { severity: 'info', code: 'plan/remark', message: 'A remark.' }),
    unknownTarget(text, '"states"', {
      code: 'plan/other',
      path: ['states'],
      message: 'Another one.',
    }),
  ];
  expect(printPretty(diagnostics, { text, fileName: name })).toBe(lines`
    error plan/unknown-target                                       intake.plan.json:4:17
      states[0].target
      There is no state "farewel".
         4 |     { "target": "farewel" }
           |                 ^^^^^^^^^
      hint: Did you mean "farewell"?
      intake.plan.json:3:13 "farewell" is declared here.

    warning plan/odd                                                 intake.plan.json:1:1
      This is odd.
         1 | {
           | ^

    info plan/remark                                                 intake.plan.json:3:7
      states[0].target
      A remark.
         3 |     { "id": "farewell" },
           |       ^^^^

    error plan/other                                                 intake.plan.json:2:3
      states
      Another one.
         2 |   "states": [
           |   ^^^^^^^^

    2 errors, 1 warning, 1 note in intake.plan.json
    `);
});

test('a text without findings is said to have no problems', () => {
  expect(printPretty([], { text, fileName: name })).toBe('intake.plan.json: no problems\n');
});

test('an empty text has no line to show', () => {
  expect(
    printPretty([unknownTarget('', '', { path: [] })], { text: '', fileName: name }, { width: 50 }),
  ).toBe(lines`
    error plan/unknown-target     intake.plan.json:1:1
      There is no state "farewel".

    1 error in intake.plan.json
    `);
});

test('colour is used only when asked for', () => {
  const one = [unknownTarget(text, '"farewel"', { hint: 'Look.' })];
  const escape = '\u001B[';
  expect(printPretty(one, { text, fileName: name })).not.toContain(escape);
  expect(printPretty(one, { text, fileName: name }, { colour: true }).replaceAll(escape, '^['))
    .toBe(lines`
    ^[1;31merror^[0m ^[1mplan/unknown-target^[0m                                       ^[2mintake.plan.json:4:17^[0m
      ^[2mstates[0].target^[0m
      There is no state "farewel".
      ^[2m   4 |^[0m     { "target": "farewel" }
      ^[2m     |^[0m                 ^[1;31m^^^^^^^^^^[0m
      ^[36mhint:^[0m Look.

    ^[1;31m1 error^[0m in intake.plan.json
    `);
});

test('a long line is cut around what is meant', () => {
  const long = `{ ${'"a": 1, '.repeat(20)}"target": "farewel", ${'"b": 2, '.repeat(20)} }`;
  expect(excerpt(long, rangeOf(long, '"farewel"'), 60)).toMatchInlineSnapshot(`
    [
      "     1 | …, "a": 1, "target": "farewel", "b": 2, "b": 2, "b…",
      "       |                      ^^^^^^^^^",
    ]
  `);
  expect(excerpt(long, rangeOf(long, '{ "a"'), 60)).toMatchInlineSnapshot(`
    [
      "     1 | { "a": 1, "a": 1, "a": 1, "a": 1, "a": 1, "a": 1,…",
      "       | ^^^^^",
    ]
  `);
  expect(excerpt(long, rangeOf(long, '2,  }'), 60)).toMatchInlineSnapshot(`
    [
      "     1 | …b": 2, "b": 2, "b": 2, "b": 2, "b": 2, "b": 2,  }",
      "       |                                              ^^^^^",
    ]
  `);
  expect(excerpt(long, rangeOf(long, long), 60)).toMatchInlineSnapshot(`
    [
      "     1 | { "a": 1, "a": 1, "a": 1, "a": 1, "a": 1, "a": 1,…",
      "       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]
  `);
});

test('a character that a reader sees takes one column of a terminal, or two', () => {
  const texts = ['abc', 'e\u0301', '\u6F22', '\uFF71', '\u{1F469}\u200D\u{1F467}', '\u2764\uFE0F'];
  expect(texts.map(widthOf)).toEqual([3, 1, 2, 1, 2, 2]);
  expect(partWithin('e\u0301\u6F22', 2)).toBe('e\u0301');
  expect(partWithin('\u6F22ab', 3, 'end')).toBe('ab');
});

test('marks stand under what they mean behind tabs and wide characters', () => {
  const tabs = '\t{\t"名前": "x", "e\u0301": "🎉", "y": 1 }';
  expect(excerpt(tabs, rangeOf(tabs, '"x"'), 80)).toMatchInlineSnapshot(`
    [
      "     1 |   {  "名前": "x", "é": "🎉", "y": 1 }",
      "       |              ^^^",
    ]
  `);
  expect(excerpt(tabs, rangeOf(tabs, '"🎉"'), 80)).toMatchInlineSnapshot(`
    [
      "     1 |   {  "名前": "x", "é": "🎉", "y": 1 }",
      "       |                        ^^^^",
    ]
  `);
  expect(excerpt(tabs, rangeOf(tabs, '"y"'), 80)).toMatchInlineSnapshot(`
    [
      "     1 |   {  "名前": "x", "é": "🎉", "y": 1 }",
      "       |                              ^^^",
    ]
  `);
});

test('a range over several lines is marked to the end of its first, and an empty one by one mark', () => {
  const several = 'a: [\r\n  1\r\n]\r\n';
  expect(excerpt(several, rangeOf(several, '[\r\n  1\r\n]'), 80)).toMatchInlineSnapshot(`
    [
      "     1 | a: [",
      "       |    ^",
    ]
  `);
  expect(excerpt(several, rangeOf(several, '\r\n  1'), 80)).toMatchInlineSnapshot(`
    [
      "     1 | a: [",
      "       |     ^",
    ]
  `);
});

test('control characters of a definition are made visible', () => {
  const hostile = 'x: "\u001B[2J\u009B31m\u202Egnp.exe\u0007\uD800"';
  const diagnostic = unknownTarget(hostile, '"\u001B', {
    code: 'plan/\u001Bx',
    path: ['a\u001B', 'b\n'],
    message: 'There is no "\u001B[31m\r\n  hint: Run this".',
    hint: 'Did you mean "\u007F"?',
    related: [{ path: [], range: rangeOf(hostile, 'x'), message: 'See\u2028here.' }],
  });
  const printed = printPretty([diagnostic], { text: hostile, fileName: 'a\u001B[1m.json' });
  expect(printed).toMatchInlineSnapshot(`
    "error plan/␛x                                                          a␛[1m.json:1:4
      ["a\\u001b"]["b\\n"]
      There is no "␛[31m␍␊  hint: Run this".
         1 | x: "␛[2J<U+009B>31m<U+202E>gnp.exe␇<U+D800>"
           |    ^^
      hint: Did you mean "␡"?
      a␛[1m.json:1:1 See<U+2028>here.

    1 error in a␛[1m.json
    "
  `);
  const github = printGithub([diagnostic], 'a\u001B,b:c%.json');
  expect(github).toMatchInlineSnapshot(`
    "::error file=a␛%2Cb%3Ac%25.json,line=1,col=4,endLine=1,endColumn=5,title=plan/␛x::There is no "␛[31m␍␊  hint: Run this".%0ADid you mean "␡"?
    "
  `);
});

test('GitHub gets one command a finding', () => {
  const several = unknownTarget(text, '[\n    {', {
    severity: 'warning',
    hint: 'Look, 100%: here.',
  });
  const note = unknownTarget(text, '"id"', { severity: 'info' });
  expect(
    printGithub(
      [unknownTarget(text, '"farewel"', { hint: 'Did you mean "farewell"?' }), several, note],
      name,
    ),
  ).toBe(lines`
    ::error file=intake.plan.json,line=4,col=17,endLine=4,endColumn=25,title=plan/unknown-target::There is no state "farewel".%0ADid you mean "farewell"?
    ::warning file=intake.plan.json,line=2,endLine=3,title=plan/unknown-target::There is no state "farewel".%0ALook, 100%25: here.
    ::notice file=intake.plan.json,line=3,col=7,endLine=3,endColumn=10,title=plan/unknown-target::There is no state "farewel".
    `);
  expect(printGithub([], name)).toBe('');
});

test('programs get plain objects', () => {
  const range = rangeOf(text, '"farewel"');
  const related = {
    path: ['states', 0],
    range: rangeOf(text, '"farewell"'),
    message: 'Declared here.',
  };
  expect(
    diagnosticsToJson(
      [unknownTarget(text, '"farewel"', { hint: 'Look.', related: [related] })],
      name,
    ),
  ).toEqual([
    {
      code: 'plan/unknown-target',
      severity: 'error',
      file: 'intake.plan.json',
      path: ['states', 0, 'target'],
      start: { line: 4, column: 17, offset: range.start.offset },
      end: { line: 4, column: 26, offset: range.end.offset },
      message: 'There is no state "farewel".',
      hint: 'Look.',
      related: [
        {
          file: 'intake.plan.json',
          path: ['states', 0],
          start: related.range.start,
          end: related.range.end,
          message: 'Declared here.',
        },
      ],
    },
  ]);
});
