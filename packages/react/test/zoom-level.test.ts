import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ZoomLevel, zoomLevel } from '../src/statechart/canvas.tsx';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const drawing = read('../../drawing/dist/styles.css');
const page = read('../src/styles.css');

/** The size of the text of a class, in pixels. */
function sizeOf(name: string): number {
  return Number(new RegExp(`\\.${name} \\{[^}]*font: [^;]*?(\\d+)px`).exec(drawing)![1]);
}

/** The texts that the style sheets show at each level. */
const shown: Readonly<Record<ZoomLevel, readonly string[]>> = {
  shapes: [],
  far: ['dg-far-name'],
  names: ['dg-name'],
  all: ['dg-name', 'dg-sort', 'dg-label', 'dg-badge-text'],
};

test('no text is smaller than 10 pixels at any zoom', () => {
  for (let zoom = 0.05; zoom <= 2; zoom += 0.01) {
    const sizes = shown[zoomLevel(zoom)].map((name) => sizeOf(name) * zoom);
    expect([zoom, Math.min(10, ...sizes) > 9.9]).toEqual([zoom, true]);
  }
});

test('the style sheet of pages hides what is not readable at each level', () => {
  const rules = [...page.matchAll(/\n((?:\.dg-canvas[^{]*))\{\n {2}display: none;\n\}/g)]
    .map(([, selectors]) => selectors!)
    .join(',');
  for (const name of ['dg-label-group', 'dg-sort', 'dg-badge', 'dg-name'])
    expect(rules).toContain(name);
  expect(page).toMatch(/\[data-zoom='far'\] \.dg-far-name \{\n {2}display: inline;/);
});
