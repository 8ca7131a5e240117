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

const components = {
  Statechart: 'statechart/statechart.tsx',
  Conversation: 'conversation/conversation.tsx',
  DecisionForm: 'conversation/decision-form.tsx',
  Timeline: 'timeline/timeline.tsx',
  Deliverables: 'deliverables/deliverables.tsx',
  CoverageList: 'coverage/coverage-list.tsx',
};

/** The table of a component's props, from its type: a prop without a comment is not documented. */
function tableOf(component: string, file: string): string {
  const source = readFileSync(join(root, 'packages/react/src', file), 'utf8');
  const body = source.match(
    new RegExp(`export interface ${component}Props \\{\\n([^]*?)\\n\\}`),
  )![1]!;
  const field =
    /(?:^ {2}\/\*\*([^]*?)\*\/\n)?^ {2}readonly (\w+)(\?)?:([^]*?);(?=\n {2}(?:readonly|\/\*\*)|$(?![^]))/gm;
  const rows = [...body.matchAll(field)].map(([, comment, name, optional, type]) => {
    const meaning = (comment ?? '').replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
    const shown = type!
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replace(/^\| /, '')
      .replace(/ \| undefined$/, '')
      .replace(/^\((.*)\)$/, '$1')
      .replaceAll('|', '\\|');
    return [`\`${name}\`${optional === undefined ? ', required' : ''}`, `\`${shown}\``, meaning];
  });
  for (const [name, , meaning] of rows) expect(meaning, `${component} ${name}`).not.toBe('');
  return [['prop', 'type', 'meaning'], ['---', '---', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

const marked = (component: string) =>
  new RegExp(`(### Props of \`<${component}>\`\n\n)([^]*?)(?=\n\n)`);

if (process.env['UPDATE_GOLDEN'] === '1') {
  let written = text();
  for (const [component, file] of Object.entries(components))
    written = written.replace(marked(component), (_, title) => title + tableOf(component, file));
  writeFileSync(page, written);
}

test.each(Object.entries(components))('the page has the props of %s', (component, file) => {
  const plain = (table: string) => table.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '---');
  expect(plain(text().match(marked(component))?.[2] ?? '')).toBe(plain(tableOf(component, file)));
});
