import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

test('every fixture of a format with stories has a story', () => {
  const stories = globSync('apps/workbench/src/stories/*.stories.tsx', { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  const fixtures = globSync('packages/formats/*/test/fixtures/*/', { cwd: root }).map((path) =>
    path.replace(/^packages\/formats\/([^/]+)\/test\/fixtures\/([^/]+)\/?$/, '$1/$2'),
  );
  expect(fixtures.length).toBeGreaterThan(50);
  const hasStories = (fixture: string) => stories.includes(`'${fixture.split('/')[0]}/`);
  expect(fixtures.filter((name) => hasStories(name) && !stories.includes(`'${name}'`))).toEqual([]);
});

test('every file of stories except the playground has a page', () => {
  const pages = globSync('apps/workbench/src/docs/*.mdx', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const stories = globSync('apps/workbench/src/stories/*.stories.tsx', { cwd: root })
    .map((path) => path.replace(/^.*\//, ''))
    .filter((file) => file !== 'playground.stories.tsx');
  expect(stories.filter((file) => !pages.some((page) => page.includes(`stories/${file}`)))).toEqual(
    [],
  );
});
