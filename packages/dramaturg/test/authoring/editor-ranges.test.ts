import {
  completionsAt,
  type DefinitionSymbol,
  hoverAt,
  symbolsIn,
} from '@dramaturg/compiler/editor';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { formats } from '../../src/known-formats.ts';
import { type Example, examples } from './examples.ts';

/** So many places in each example, at equal distances. */
const placesPerExample = runsAll ? 6 : 1;

test('what a completion replaces is in one line, around the cursor, as language servers must have it', () => {
  const wrong: string[] = [];
  for (const example of examples) {
    const { text, format, file } = example;
    for (const offset of placesIn(example))
      for (const { label, span } of completionsAt(text, offset, { formats, format })) {
        const isAround = span.start <= offset && offset <= span.end;
        if (!isAround || text.slice(span.start, span.end).includes('\n'))
          wrong.push(`${file} at ${offset}: ${label}`);
      }
  }
  expect(wrong).toEqual([]);
});

test('what a hover explains is around the cursor', () => {
  const wrong = examples.flatMap((example) =>
    placesIn(example).filter((offset) => {
      const { text, format } = example;
      const span = hoverAt(text, offset, { formats, format })?.span;
      return span && (span.start > offset || offset > span.end);
    }),
  );
  expect(wrong).toEqual([]);
});

test('symbols lie in their parents, with their names in them, and are the same in JSON and YAML', () => {
  const wrong: string[] = [];
  const names = new Map<string, string[]>();
  const found = new Set<string>();
  for (const { text, format, file } of examples) {
    const symbols = symbolsIn(text, { formats, format });
    if (symbols.length > 0) found.add(format);
    wrong.push(...symbols.flatMap((symbol) => misplaced(symbol, text)));
    names.set(file, names.get(file) ?? namesOf(symbols));
    expect(namesOf(symbols)).toEqual(names.get(file));
  }
  expect(wrong).toEqual([]);
  expect([...found].toSorted()).toEqual(formats.map(({ name }) => name).toSorted());
});

function placesIn({ text }: Example): readonly number[] {
  const distance = Math.max(1, Math.floor(text.length / placesPerExample));
  return Array.from({ length: placesPerExample }, (_, index) => index * distance + (index % 7));
}

function misplaced({ name, range, nameRange, children }: DefinitionSymbol, text: string): string[] {
  const isIn = (inner: DefinitionSymbol['range']) =>
    inner.start.offset >= range.start.offset && inner.end.offset <= range.end.offset;
  const written = text.slice(nameRange.start.offset, nameRange.end.offset);
  const isFine =
    isIn(nameRange) && written.includes(name) && children.every((child) => isIn(child.range));
  return [...(isFine ? [] : [name]), ...children.flatMap((child) => misplaced(child, text))];
}

function namesOf(symbols: readonly DefinitionSymbol[]): string[] {
  return symbols.flatMap(({ noun, name, children }) => [`${noun} ${name}`, ...namesOf(children)]);
}
