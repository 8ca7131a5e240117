import { expect, test } from 'vitest';
import { textBlock } from '../src/layout/text.ts';

const style = { size: 10, lineHeight: 12, maxWidth: 60, maxLines: 2 };

test('a text is broken at spaces, and overflow is cut', () => {
  expect(textBlock('one two three four five six', style).lines).toEqual(['one two', 'three fou…']);
  expect(textBlock('a\n  b', style).lines).toEqual(['a b']);
});

test('a word longer than a line is broken', () => {
  const { lines } = textBlock('a'.repeat(15), style);
  expect(lines.join('')).toBe('a'.repeat(15));
  expect(lines).toHaveLength(2);
});

test('no line exceeds the width', () => {
  const { width, height } = textBlock('MMMMMMMMMMMMMMMMMMMMMMMM', style);
  expect(width).toBeLessThanOrEqual(60);
  expect(height).toBe(24);
});

test('an empty text has no size', () => {
  expect(textBlock('  ', style)).toEqual({ lines: [], width: 0, height: 0 });
});
