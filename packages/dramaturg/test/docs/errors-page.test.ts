import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './blocks.ts';

test('every code and every sentence on the page of errors is one of ours', () => {
  const files = globSync('packages/{*,channels/*,formats/*}/{src,bin}/**/*.{ts,js}', { cwd: root });
  const sources = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const library = readFileSync(join(root, 'node_modules/commander/lib/command.js'), 'utf8');
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const [before = '', ...rest] = page.split('## Starting a service');
  const sentences = Array.from(before.matchAll(/^\| `([A-Z][^`]+)`/gm), ([, text]) => text!);
  const codes = Array.from(rest.join('').matchAll(/`([a-z]+\/[a-z-]+)`/g), ([, code]) => code!);
  expect(sentences.length + codes.length).toBeGreaterThan(25);
  const known = (text: string) => sources.includes(text) || library.includes(text.toLowerCase());
  expect([...sentences, ...codes].filter((text) => !known(text))).toEqual([]);
});
