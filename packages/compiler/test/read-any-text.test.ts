import { array, check, constantFrom, json, oneof, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import type { Path } from '../src/json.ts';
import { read } from '../src/read/read.ts';
import type { Source } from '../src/read/source.ts';
import { scaled } from '../../../.config/scaled.ts';

const pieces = [
  ['{', '}', '[', ']', ':', ': ', ',', '"', "'", '\\', '\n', '\n  ', '\r', '\t', ' ', '- '],
  ['? ', '&a ', '*a ', '<<: ', '!!int ', '!x ', '!<%zz> ', '%YAML 1.1\n', '---\n', '...\n'],
  ['|\n', '>2-\n', '#', '//', '/*', 'a', 'key: ', '"a":', '__proto__', 'constructor', '1'],
  ['1e400', 'null', '~', '\0', '\u0002', '\uFEFF', '\uD800', '\u2028', '\\u12', '\\0', '@', '%'],
].flat();

const anyText = oneof(
  array(constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join('')),
  string({ unit: 'binary' }),
);

const language = constantFrom('json' as const, 'yaml' as const);

test('any text gives plain data, or at least one finding and no value', () => {
  const gives = property(anyText, language, (text, chosen) => {
    const { value, diagnostics } = read(text, { language: chosen });
    return value === undefined ? diagnostics.length > 0 : isPlain(value);
  });
  expect(check(gives, { numRuns: scaled(3000) }).counterexample).toBeNull();
});

test('every range is inside the text, and findings are in order of position', () => {
  const places = property(anyText, language, (text, chosen) => {
    const source = read(text, { language: chosen });
    const starts = source.diagnostics.map(({ range }) => range.start.offset);
    return (
      starts.every((start, index) => index === 0 || starts[index - 1]! <= start) &&
      rangesOf(source).every(
        ({ start, end }) => start.offset <= end.offset && end.offset <= text.length,
      )
    );
  });
  expect(check(places, { numRuns: scaled(3000) }).counterexample).toBeNull();
});

test('JSON has the value that JSON.parse gives', () => {
  const agrees = property(json(), (text) => {
    const { value, diagnostics } = read(text, { language: 'json' });
    return diagnostics.length > 0 || JSON.stringify(value) === JSON.stringify(JSON.parse(text));
  });
  expect(check(agrees).counterexample).toBeNull();
});

test('every part of a JSON value is located', () => {
  const stands = property(json(), (text) => {
    const source = read(text, { language: 'json' });
    if (source.diagnostics.length > 0) return true;
    return pathsOf(source.value).every((path) => {
      const { start, end } = source.locate(path);
      const written: unknown = JSON.parse(text.slice(start.offset, end.offset));
      return JSON.stringify(written) === JSON.stringify(partAt(source.value, path));
    });
  });
  expect(check(stands, { numRuns: scaled(300) }).counterexample).toBeNull();
});

/** Whether a value consists of JSON values only and shares no object between its parts. */
function isPlain(value: unknown, seen = new Set<object>()): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) {
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  }
  if (seen.has(value) || Object.hasOwn(value, '__proto__')) return false;
  seen.add(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === (Array.isArray(value) ? Array.prototype : Object.prototype) &&
    Object.values(value).every((part) => isPlain(part, seen))
  );
}

function rangesOf(source: Source) {
  return [
    ...source.diagnostics.map(({ range }) => range),
    ...pathsOf(source.value).flatMap((path) => [source.locate(path), source.locate(path, 'key')]),
  ];
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...parts.flatMap(([step, part]) => pathsOf(part, [...path, step]))];
}

function partAt(value: unknown, path: Path): unknown {
  return path.reduce((part, step) => (part as Record<string | number, unknown>)[step], value);
}
