import { expect, test } from 'vitest';
import { joinTexts, locatedText, read, readLocatedText, textAt } from '../src/entries/format.ts';
import { sliceText } from '../src/read/read.ts';

/** Ways to write one text in JSON and YAML. */
const written: Readonly<Record<string, string>> = {
  'JSON with escapes': String.raw`{"d": "{\"a\": [1,\n\t\u00e9\"x\\\\y\"]}"}`,
  'YAML in double quotes': 'd: "{\\"a\\": [1,\\n  \\x41 \\\n     b\n     c\\"x\\"]}"\n',
  'YAML in single quotes': "d: '{''a'': [1,\n\n   \"it''s\"]}'\n",
  'a plain text': 'd: some words\n   and more\n',
  'a block': 'd: |-\n    {\n      "a": 1\n\n    }\n',
  'a block with a comment': 'd: | # a comment with "a"\n  {\n    "a": 1\n  }\n',
  'a folded block': 'd: >\n  {\n    "a": 1 }\n  more\n\n  text\n',
  'with line ends of Windows': 'd: |\r\n  {\r\n    "a": 1\r\n  }\r\n',
  'with an anchor': 'd: &d |\n  {"a": 1}\n',
};

test.each(Object.entries(written))('each character has its place in %s', (_, text) => {
  const file = read(text);
  expect(file.diagnostics).toEqual([]);
  const found = locatedText(file, ['d'])!;
  let known = 0;
  for (const [index, character] of found.text.split('').entries()) {
    const at = found.offsets[index]!;
    if (/\s/.test(character) || text[at] === '\\') continue;
    expect(`${index} ${text[at]}`).toBe(`${index} ${character}`);
    known += 1;
  }
  expect(known).toBeGreaterThan(4);
  expect([...found.offsets]).toEqual([...found.offsets].toSorted((a, b) => a - b));
});

test('findings in a text point at the file', () => {
  const text = 'a: 1\nd: |\n  {\n    "x": [1,,2],\n    "y": { "z": 3 }\n  }\n';
  const file = read(text);
  const inner = readLocatedText(file, locatedText(file, ['d'])!);
  expect(inner.value).toMatchObject({ y: { z: 3 } });
  expect(inner.diagnostics).toMatchObject([
    { code: 'read/syntax', range: { start: { line: 4, column: 13 } } },
  ]);
  expect(inner.locate(['y', 'z'])).toMatchObject({
    start: { line: 5, column: 17 },
    end: { line: 5, column: 18 },
  });
  expect(inner.locate(['y'], 'key').start).toMatchObject({ line: 5, column: 5 });
});

test('pieces keep their places', () => {
  const file = read('{"d": "ab", "e": "cd"}');
  const [first, second] = [locatedText(file, ['d'])!, locatedText(file, ['e'])!];
  const joined = joinTexts([first, textAt('${x}', 3), sliceText(second, 1)]);
  expect(joined.text).toBe('ab${x}d');
  expect([...joined.offsets]).toEqual([7, 8, 3, 3, 3, 3, 19, 20]);
});
