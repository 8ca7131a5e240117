/**
 * Writes THIRD-PARTY-NOTICES.md: the licence of every package that an installation of ours brings along or that a page of ours
 * bundles. With `--check` it writes nothing, and fails when the list is out of date, when a licence is not allowed, when a
 * package of ours lacks our licence, and when a bundle ships without the notices of what it contains.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Locked {
  readonly version?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Allowed licences: shipping the notice meets their terms. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
];

/** Packages with another licence, and why they are allowed. */
const exceptions: Readonly<Record<string, { readonly licence: string; readonly reason: string }>> =
  {
    elkjs: {
      licence: 'EPL-2.0 OR GPL-3.0-or-later',
      reason:
        'Used and bundled unmodified under EPL-2.0, whose text ships in the notices of each bundle. Its source: https://github.com/kieler/elkjs',
    },
    'axe-core': {
      licence: 'MPL-2.0',
      reason:
        'Bundled unmodified by Storybook in the workbench, which is not published. Its source: https://github.com/dequelabs/axe-core',
    },
  };

/** The folders of builds that bundle packages. Their build writes the notices. */
const bundles = [
  'packages/inspector/dist/page',
  'apps/desk/dist/page',
  'packages/dramaturg/dist/quick',
  'apps/workbench/dist',
];
const notices = 'THIRD-PARTY-NOTICES.md';

const root = join(import.meta.dirname, '..');
const locked = (readJson('package-lock.json') as { packages: Record<string, Locked> }).packages;
const problems: string[] = [];

const shipped = new Map<string, Manifest>();
const workspaces = globSync(
  ['packages/{*,channels/*,formats/*}/package.json', 'apps/desk/package.json'],
  {
    cwd: root,
  },
).map(dirname);
for (const folder of [...workspaces, 'apps/workbench']) collect(folder);
for (const bundle of bundles.slice(0, 3))
  for (const { name } of bundledIn(bundle)) add(`node_modules/${name}`);

const list = [...shipped.values()].toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
for (const { name, version, license } of list) judge(name, version, license);

const ours = read('LICENSE');
for (const folder of workspaces)
  if (!existsSync(join(root, folder, 'LICENSE')) || read(join(folder, 'LICENSE')) !== ours)
    problems.push(`${folder} ships without our licence. Copy LICENSE into it.`);

for (const folder of bundles) {
  if (!existsSync(join(root, folder))) continue;
  const bundled = bundledIn(folder);
  if (bundled.length === 0)
    problems.push(
      `${folder} bundles packages and has no ${notices}. Set build.license in its Vite configuration and build it again.`,
    );
  for (const { name, version, licence } of bundled) judge(name, version, licence);
}
for (const file of globSync('{packages,apps}/**/dist/**/*.js', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})) {
  // elkjs is compiled from Java and contains Java class names.
  if (!read(file).includes('org.eclipse.elk')) continue;
  const bundle = bundles.find((folder) => file.startsWith(`${folder}/`));
  if (bundle === undefined || !bundledIn(bundle).some(({ name }) => name === 'elkjs'))
    problems.push(
      `${file} contains elkjs and ships without its licence. Add its folder to "bundles" in .config/licences.ts.`,
    );
}

const text = page(list);
if (process.argv.includes('--check')) {
  if (!existsSync(join(root, notices)) || read(notices) !== text)
    problems.push(`${notices} is out of date. Run "npm run licences".`);
} else writeFileSync(join(root, notices), text);

if (problems.length > 0) {
  console.error(`${problems.join('\n')}\n\n${problems.length} licence problem(s).`);
  process.exitCode = 1;
} else
  console.log(
    `licences: ${list.length} packages may be shipped, and their notices ship with them.`,
  );

/** Adds the packages that an installation of ours brings along, directly or indirectly. */
function collect(path: string): void {
  const { dependencies = {}, optionalDependencies = {} } = locked[path] ?? {};
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = resolved(name, path);
    if (found !== undefined) add(found);
  }
}

function add(path: string): void {
  const entry = locked[path];
  if (shipped.has(path) || entry === undefined || entry.link === true) return;
  // A package for another platform is not here. It has the licence of the package that needs it.
  if (!existsSync(join(root, path, 'package.json'))) return;
  shipped.set(path, readJson(join(path, 'package.json')) as Manifest);
  collect(path);
}

/** The path where npm has installed a package that the package in a folder needs. */
function resolved(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (locked[path] !== undefined) return path;
    if (folder === '.') return undefined;
  }
}

/** The packages in a bundle, read from its notices. */
function bundledIn(folder: string): { name: string; version: string; licence: string }[] {
  const file = join(folder, notices);
  if (!existsSync(join(root, file))) return [];
  const titles = read(file).matchAll(/^## (\S+) - (\d\S*) \((.+)\)$/gm);
  return Array.from(titles, ([, name, version, licence]) => ({
    name: name!,
    version: version!,
    licence: licence!,
  }));
}

function judge(name: string, version: string, licence: string | undefined): void {
  if (allowed.includes(licence ?? '') || exceptions[name]?.licence === licence) return;
  const what =
    licence === undefined
      ? 'does not name its licence'
      : `has the licence ${licence}, which is not allowed`;
  problems.push(
    `${name} ${version} ${what}. Replace it, or add it to "exceptions" in .config/licences.ts with the reason.`,
  );
}

function page(manifests: readonly Manifest[]): string {
  const rows = [
    ['package', 'version', 'licence'],
    ...manifests.map(({ name, version, license = '' }) => [name, version, license]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const reasons = Object.entries(exceptions).map(
    ([name, { reason }]) => `- **${name}**: ${reason}.`,
  );
  return `# Third-party notices

Generated by \`npm run licences\`. These packages are installed with the packages of this repository, or are part of the page of the
inspector, of the desk or of the workbench. Each contains the text of its licence; a page has the texts of everything that it bundles in a file of
the same name as this one.

${reasons.join('\n')}

${[head, rule, ...body].join('\n')}
`;
}

function idOf({ name, version }: Manifest): string {
  return `${name} ${version}`;
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function readJson(path: string): unknown {
  return JSON.parse(read(path));
}
