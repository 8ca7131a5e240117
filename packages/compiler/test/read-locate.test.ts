import { describe, expect, test } from 'vitest';
import type { Path } from '../src/json.ts';
import { read } from '../src/read/read.ts';

function placeOf(text: string, path: Path, part?: 'value' | 'key'): string {
  const { start, end } = read(text).locate(path, part);
  const written = text.slice(start.offset, end.offset);
  return `${start.line}:${start.column}-${end.line}:${end.column} ${written}`;
}

describe('a part of a value', () => {
  const text = '{\n  "tasks": [\n    { "id": "a\\"b" },\n    [7, 8]\n  ]\n}';

  test.each([
    ['the root', [], undefined, text],
    ['a member', ['tasks', 0, 'id'], 'value', '"a\\"b"'],
    ['the key of a member', ['tasks', 0, 'id'], 'key', '"id"'],
    ['an item', ['tasks', 1, 1], 'value', '8'],
    ['the key of an item, which is its value', ['tasks', 1, 1], 'key', '8'],
    ['the key of the root, which is its value', [], 'key', text],
    [
      'a missing member, at the object that lacks it',
      ['tasks', 0, 'name'],
      'value',
      '{ "id": "a\\"b" }',
    ],
    ['the key of a missing member', ['tasks', 0, 'name'], 'key', '{ "id": "a\\"b" }'],
    ['a path into a text, at the text', ['tasks', 0, 'id', 'x', 3], 'value', '"a\\"b"'],
    ['an item past the end, at the list', ['tasks', 1, 2], 'value', '[7, 8]'],
    ['an invalid index, at the list', ['tasks', 1, -1.5], 'value', '[7, 8]'],
  ] as const)('is located: %s', (_, path, part, found) => {
    const { start, end } = read(text).locate(path, part);
    expect(text.slice(start.offset, end.offset)).toBe(found);
  });

  test('has its line and column', () => {
    expect(placeOf(text, ['tasks', 0, 'id'], 'key')).toBe('3:7-3:11 "id"');
    expect(placeOf(text, ['tasks', 1])).toBe('4:5-4:11 [7, 8]');
  });

  test('is located when its key is written with an escape', () => {
    expect(placeOf('{"a\\u0062": 1}', ['ab'], 'key')).toBe('1:2-1:11 "a\\u0062"');
  });

  test('is not located through a key that objects inherit', () => {
    expect(placeOf('{"a": 1}', ['toString'])).toBe('1:1-1:9 {"a": 1}');
  });

  test('is located at the beginning of a text without a value', () => {
    expect(placeOf('', ['a', 0], 'key')).toBe('1:1-1:1 ');
  });
});
