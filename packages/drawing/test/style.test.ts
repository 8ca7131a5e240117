import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dark, light, pageStyle } from '../src/svg/style.ts';

test('dark and light have the same variables, and nothing uses another one', () => {
  expect(Object.keys(dark)).toEqual(Object.keys(light));
  const css = readFileSync(join(import.meta.dirname, '../../react/src/styles.css'), 'utf8');
  const used = [...`${pageStyle}${css}`.matchAll(/var\((--dg-[a-z-]+)\)/g)].map(
    ([, name]) => name!,
  );
  const known = [...Object.keys(light), '--dg-tint', '--dg-tint-soft'];
  const own = [...css.matchAll(/^ +(--dg-[a-z-]+):/gm)].map(([, name]) => name!);
  expect(used.filter((name) => !known.includes(name) && !own.includes(name))).toEqual([]);
});

test.each([
  ['light', light],
  ['dark', dark],
] as const)('texts and icons have contrast in %s', (_, palette) => {
  const contrast = (one: string, other: string) => {
    const [high, low] = [luminance(palette[one]!), luminance(palette[other]!)].toSorted(
      (a, b) => b - a,
    ) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };
  const softs = Object.keys(palette).filter((name) => name.endsWith('-soft'));
  for (const soft of [...softs, '--dg-background', '--dg-raised']) {
    expect([soft, contrast('--dg-text', soft) >= 7]).toEqual([soft, true]);
    expect([soft, contrast('--dg-muted', soft) >= 4.5]).toEqual([soft, true]);
  }
  for (const soft of softs) {
    const ink = soft.replace('-soft', '');
    expect([ink, contrast(ink, soft) >= 4.5]).toEqual([ink, true]);
  }
});

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
