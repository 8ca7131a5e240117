import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const page = join(root, 'docs/react.md');
const text = () => readFileSync(page, 'utf8');

/** Names that an example takes from the program around it. */
const surroundings: Readonly<Record<string, string>> = {
  text: 'declare const text: string;',
  tests: 'declare const tests: string;',
  chart: `declare const chart: import('@dramaturg/compiler').Chart;`,
  headers: 'declare const headers: Record<string, string>;',
};

/** An example as a module: its imports, and the rest inside a function where it calls a hook outside a component. */
function moduleOf(code: string): string {
  const declared = Object.entries(surroundings)
    .filter(([name]) => !new RegExp(`\\b(?:const|let) (?:\\{[^}]*\\b)?${name}\\b`).test(code))
    .map(([, declaration]) => declaration);
  const needed = code.includes('useHost(') && !code.includes('import');
  const imports = needed ? [`import { useHost } from '@dramaturg/react';`] : [];
  return [...imports, ...declared, code, 'export {};'].join('\n');
}

test('the examples of the page are compiled', () => {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'dramaturg-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const examples = [...text().matchAll(/^```tsx?\n([^]*?)^```$/gm)].map(([, code]) => code!);
  expect(examples.length).toBeGreaterThan(2);
  const files = examples.map((code, index) => {
    const file = join(folder, `example-${index}.tsx`);
    writeFileSync(file, moduleOf(code));
    return file;
  });
  writeFileSync(join(folder, 'styles.d.ts'), `declare module '*.css';`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'preserve',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    skipLibCheck: true,
    lib: ['es2023', 'dom'],
    types: [],
  };
  const config = { compilerOptions, files: [...files, join(folder, 'styles.d.ts')] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
  expect(tsc.stdout + tsc.stderr).toBe('');
  expect(tsc.status).toBe(0);
});
