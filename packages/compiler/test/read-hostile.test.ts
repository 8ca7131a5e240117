import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { read } from '../src/read/read.ts';

/** Repeats a piece as often as it fits into `length` characters. */
const filled = (piece: string, length: number) => piece.repeat(Math.floor(length / piece.length));
const counted = (count: number, piece: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => piece(index)).join('');

/** What a text is made of, the codes and the number of the findings, and the text. Texts that take seconds are read in `npm run test:all`. */
type Row = [string, string[], number, () => string];

const megabytes = 1_000_000;

/** The distinct codes of the findings, and the number of findings. */
function findingsIn(text: string, language: 'json' | 'yaml'): { codes: string[]; count: number } {
  const source = read(text, { language });
  source.locate(['a', 7, 'b'], 'key');
  const codes = [...new Set(source.diagnostics.map(({ code }) => code.replace('read/', '')))];
  return { codes, count: source.diagnostics.length };
}

describe('megabytes of JSON, five in `npm run test:all`', () => {
  const size = runsAll ? 5 * megabytes : megabytes;
  test.each<Row>([
    ['commas', ['syntax'], 1, () => filled(',', size)],
    ['commas in a list', ['syntax'], 1, () => `[${filled(',', size - 1)}`],
    ['quotes', ['syntax'], 1, () => filled('"', size)],
    ['line feeds', ['empty'], 1, () => filled('\n', size)],
    ['carriage returns', ['empty'], 1, () => filled('\r', size)],
    ['spaces', ['empty'], 1, () => filled(' ', size)],
    ['comments', ['empty'], 1, () => filled('//\n', size)],
    ['open lists', ['too-deep'], 1, () => filled('[', size)],
    ['open objects', ['too-deep'], 1, () => filled('{"a":', size)],
    ['one text', [], 0, () => `"${filled('a', size - 2)}"`],
    ['escapes', [], 0, () => `"${filled('\\n', size - 2)}"`],
    ['lone surrogates', [], 0, () => `"${filled('\uD800', size - 2)}"`],
    ['an unclosed text', ['syntax'], 1, () => `"${filled('a', size - 1)}`],
    ['an unclosed comment', ['syntax'], 1, () => `/*${filled('*', size - 2)}`],
    ['one number', ['not-json-value'], 1, () => filled('1', size)],
    ['words', ['syntax'], 1, () => `[${filled('a ', size - 1)}`],
    ['unsafe numbers', ['unsafe-number'], 20, () => `[${filled('99999999999999999,', size - 2)}]`],
    ['NULs', ['control-character'], 20, () => filled('\0', size)],
    [
      'escaped NULs in a text',
      ['control-character'],
      20,
      () => `["${filled('\\u0000', 1000)}",${filled('"\\u0000",', 1000)}]`,
    ],
  ])('made of %s gives %j', (_, codes, count, make) => {
    expect(findingsIn(make(), 'json')).toEqual({ codes, count });
  });
  test.runIf(runsAll).each<Row>([
    ['numbers without commas', ['syntax', 'too-large'], 21, () => `[${filled('1 ', size - 2)}]`],
    ['quotes in a list', ['syntax', 'too-large'], 21, () => `[${filled('"', size - 1)}`],
    [
      'lists a hundred deep',
      ['too-large'],
      1,
      () => `[${filled('['.repeat(99) + ']'.repeat(99) + ',', size - 2)}]`,
    ],
    ['numbers', ['too-large'], 1, () => `[${filled('1,', size - 2)}]`],
    ['empty objects', ['too-large'], 1, () => `[${filled('{},', size - 2)}]`],
    ['keys', [], 0, () => `{${counted(400_000, (index) => `"k${index}":1,`)}}`],
    [
      'one key 500,000 times',
      ['duplicate-key'],
      20,
      () => `{${filled('"a":"bc",', 4.5 * megabytes)}}`,
    ],
    ['the reserved key', ['reserved-key'], 20, () => `{${filled('"__proto__":1,', size - 2)}}`],
  ])('made of %s gives %j', (_, codes, count, make) => {
    expect(findingsIn(make(), 'json')).toEqual({ codes, count });
  });
});

describe('a megabyte of YAML', () => {
  const size = megabytes;
  test.each<Row>([
    ['nested lists', ['too-deep'], 1, () => filled('- ', size)],
    ['nested keys', ['too-deep'], 1, () => filled('? ', size)],
    ['nested values', ['too-deep'], 1, () => filled('a: ', size)],
    ['open lists', ['too-deep'], 1, () => filled('[', size)],
    ['open objects', ['too-deep'], 1, () => filled('{"a":', size)],
    [
      'lines indented ever deeper',
      ['too-deep'],
      1,
      () => counted(1400, (index) => `${' '.repeat(index)}a:\n`),
    ],
    ['items', ['too-large'], 1, () => filled('- a\n', size)],
    ['empty keys', ['too-large'], 1, () => filled('?\n', size)],
    ['line feeds', ['too-large'], 1, () => filled('\n', size)],
    ['anchors', ['too-large'], 1, () => filled('&a ', size)],
    ['aliases', ['too-large'], 1, () => filled('*a ', size)],
    ['aliases in lines', ['syntax'], 1, () => filled('*a\n', size)],
    ['commas in a list', ['too-large'], 1, () => `[${filled(',', size - 1)}`],
    ['documents', ['not-json-value'], 1, () => filled('--- a\n', size)],
    ['directives', ['too-large'], 1, () => filled('%a\n', size)],
    ['one text', [], 0, () => filled('a', size)],
    ['one text in quotes', [], 0, () => `"${filled('a ', size - 2)}"`],
    ['an unclosed text', ['syntax'], 1, () => `"${filled('a\n ', size - 1)}`],
    ['a folded text', [], 0, () => `>\n${filled(' a\n  b\n', size - 2)}`],
  ])('made of %s gives %j', (_, codes, count, make) => {
    expect(findingsIn(make(), 'yaml')).toEqual({ codes, count });
  });
});

// Just below the limit on the parts of a text, so that all of it is parsed.
describe('YAML just below the size limit', () => {
  test.each<Row>([
    ['items', [], 0, () => filled('- a\n', 150_000)],
    ['commas', ['syntax'], 1, () => `[${filled(',', 199_000)}`],
    ['closing brackets', ['syntax'], 1, () => filled(']', 199_000)],
  ])('made of %s gives %j', (_, codes, count, make) => {
    expect(findingsIn(make(), 'yaml')).toEqual({ codes, count });
  });
  test.runIf(runsAll).each<Row>([
    ['aliases without an anchor', ['syntax'], 20, () => `[${filled('*a,', 290_000)}]`],
    ['keys without names', ['duplicate-key'], 20, () => filled(':\n', 199_000)],
    ['one repeated key', ['duplicate-key'], 20, () => filled('a: b\n', 140_000)],
    ['unknown tags', ['not-json-value'], 20, () => filled('- !x a\n', 190_000)],
    ['lists as keys', ['not-json-value', 'duplicate-key'], 21, () => filled('[a]: ', 160_000)],
  ])('made of %s gives %j', (_, codes, count, make) => {
    expect(findingsIn(make(), 'yaml')).toEqual({ codes, count });
  });
});

describe('a text whose aliases expand to many values', () => {
  test('is refused for aliases of aliases', () => {
    const laughs = counted(
      9,
      (index) => `a${index + 1}: &a${index + 1} [${filled(`*a${index},`, 36)}]\n`,
    );
    const source = read(`a0: &a0 [lol]\n${laughs}`);
    expect(source.value).toBeUndefined();
    expect(source.diagnostics).toMatchObject([
      {
        code: 'read/too-many-aliases',
        message: 'Written out, the aliases of this text have more than 100,000 values.',
      },
    ]);
  });

  test('is refused for merges of merges', () => {
    const base = `b: &b {${counted(1000, (index) => `k${index}: 1,`)}}\n`;
    expect(findingsIn(`${base}c: {<<: [${filled('*b,', 3 * 1000)}]}`, 'yaml')).toEqual({
      codes: ['too-many-aliases'],
      count: 1,
    });
    const chain = counted(1000, (index) => `m${index + 1}: &m${index + 1} {<<: *m${index}}\n`);
    expect(findingsIn(`m0: &m0 {a: 1}\n${chain}`, 'yaml')).toEqual({
      codes: ['too-deep'],
      count: 1,
    });
  });

  test('is read when the number of values is below the limit', () => {
    expect(
      findingsIn(`a: &a [${filled('1,', 180)}]\nb: [${filled('*a,', 3 * 1000)}]`, 'yaml'),
    ).toEqual({ codes: [], count: 0 });
  });
});

test('a text longer than the limit of its language is refused', () => {
  const messages = [
    read('['.repeat(5_000_001)),
    read('- '.repeat(500_001)),
    read('['.repeat(50 * megabytes)),
  ].map(({ diagnostics }) => diagnostics.map(({ message, hint }) => `${message} ${hint}`));
  expect(messages).toEqual([
    [
      'This text has 5,000,001 characters; at most 5,000,000 are read. Split the definition into several.',
    ],
    [
      'This text has 1,000,002 characters; at most 1,000,000 are read. As JSON, up to 5,000,000 are read.',
    ],
    [
      'This text has 50,000,000 characters; at most 5,000,000 are read. Split the definition into several.',
    ],
  ]);
});

test('a thousand paths are located in a large text', () => {
  const text = JSON.stringify(
    Array.from({ length: 40_000 }, (_, index) => ({ id: `state-${index}` })),
  );
  const source = read(text);
  const found = Array.from(
    { length: 1000 },
    (_, index) => source.locate([index * 40, 'id']).start.offset,
  );
  expect(found).toEqual(
    Array.from({ length: 1000 }, (_, index) => text.indexOf(`"state-${index * 40}"`)),
  );
});
