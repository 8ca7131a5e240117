/**
 * Derives from the list of formats, packages/dramaturg/src/formats.ts, what npm and TypeScript have to know of it: the
 * dependencies of the package and the references of its tsconfig.json. With `--check` it writes nothing and fails when they
 * are out of date.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const facade = join(root, 'packages/dramaturg');
const folders = globSync('packages/formats/*/package.json', { cwd: root }).map(dirname).toSorted();

const listed = new Set(
  Array.from(
    readFileSync(join(facade, 'src/formats.ts'), 'utf8').matchAll(/from '(@dramaturg\/[\w-]+)'/g),
    ([, name]) => name!,
  ),
);

const manifests = folders.map((folder) => ({
  folder,
  ...readJson(join(root, folder, 'package.json')),
}));
const unknown = [...listed].filter((name) => manifests.every((manifest) => manifest.name !== name));
if (unknown.length > 0)
  throw new Error(`No package in packages/formats is named ${unknown.join(', ')}.`);
const formats = manifests.filter(({ name }) => listed.has(name));

const outdated = [
  update('package.json', (manifest) => {
    const others = Object.entries(manifest.dependencies).filter(([name]) => !isFormat(name));
    const all = [...others, ...formats.map(({ name, version }) => [name, version])];
    manifest.dependencies = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }),
  update('tsconfig.json', (config) => {
    const others = config.references.filter(({ path }) => !path.includes('/formats/'));
    const all = [
      ...others,
      ...formats.map(({ folder }) => ({ path: folder.replace('packages/', '../') })),
    ];
    config.references = all.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }),
].flat();

if (outdated.length === 0) {
  console.log('packages/dramaturg depends on the formats of its list.');
} else if (process.argv.includes('--check')) {
  console.error(
    `${outdated.join(' and ')} of packages/dramaturg are out of date: run "npm run formats".`,
  );
  process.exitCode = 1;
} else {
  console.log(`Wrote ${outdated.join(' and ')} of packages/dramaturg. Now run "npm install".`);
}

function isFormat(name: string): boolean {
  return manifests.some((manifest) => manifest.name === name);
}

/** @returns the name of the file, when it was out of date */
function update(file: string, change: (value: Manifest & Config) => void): string[] {
  const path = join(facade, file);
  const before = readFileSync(path, 'utf8');
  const value = JSON.parse(before) as Manifest & Config;
  change(value);
  if (JSON.stringify(JSON.parse(before)) === JSON.stringify(value)) return [];
  if (!process.argv.includes('--check')) writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
  return [file];
}

interface Manifest {
  dependencies: Record<string, string>;
}

interface Config {
  references: { path: string }[];
}

function readJson(path: string): { name: string; version: string } {
  return JSON.parse(readFileSync(path, 'utf8')) as { name: string; version: string };
}
