/**
 * Derives the dependencies of the package and the references of its tsconfig.json from the list of formats,
 * packages/dramaturg/src/formats.ts. With `--check` it writes nothing and fails when they are out of date.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const facade = join(root, 'packages/dramaturg');

const listed = new Set(
  Array.from(
    readFileSync(join(facade, 'src/formats.ts'), 'utf8').matchAll(/from '(@dramaturg\/[\w-]+)'/g),
    ([, name]) => name!,
  ),
);
const packages = globSync('packages/formats/*/package.json', { cwd: root }).map((path) => ({
  folder: dirname(path).replaceAll('\\', '/'),
  ...(JSON.parse(readFileSync(join(root, path), 'utf8')) as { name: string; version: string }),
}));
const missing = [...listed].filter((name) => packages.every((each) => each.name !== name));
if (missing.length > 0)
  throw new Error(`No package in packages/formats is named ${missing.join(', ')}.`);
const formats = packages.filter(({ name }) => listed.has(name));

const outdated = [
  ...update('package.json', withDependencies),
  ...update('tsconfig.json', withReferences),
];

if (outdated.length === 0) {
  console.log('packages/dramaturg depends on the formats of its list.');
} else if (process.argv.includes('--check')) {
  console.error(`packages/dramaturg: ${outdated.join(', ')} out of date. Run "npm run formats".`);
  process.exitCode = 1;
} else {
  console.log(`packages/dramaturg: wrote ${outdated.join(', ')}. Now run "npm install".`);
}

function withDependencies(text: string): string {
  const manifest = JSON.parse(text) as { dependencies: Record<string, string> };
  const others = Object.entries(manifest.dependencies).filter(([name]) =>
    packages.every((each) => each.name !== name),
  );
  const all = [...others, ...formats.map(({ name, version }) => [name, version] as const)];
  manifest.dependencies = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function withReferences(text: string): string {
  const { references } = JSON.parse(text) as { references: { path: string }[] };
  const others = references.map(({ path }) => path).filter((path) => !path.includes('/formats/'));
  const all = [...others, ...formats.map(({ folder }) => folder.replace('packages', '..'))];
  const lines = all.toSorted().map((path) => `    { "path": "${path}" }`);
  return text.replace(/"references": \[[^\]]*\]/, `"references": [\n${lines.join(',\n')}\n  ]`);
}

/** @returns the name of the file, when it was out of date */
function update(file: string, derive: (text: string) => string): string[] {
  const path = join(facade, file);
  const text = readFileSync(path, 'utf8');
  const derived = derive(text);
  if (derived === text) return [];
  if (!process.argv.includes('--check')) writeFileSync(path, derived);
  return [file];
}
