/**
 * Publishes all packages as the next version, which the files in .changeset name: versions, changelog, clean build, bill of materials,
 * packages. Afterwards the person commits and tags what has changed. See docs/releasing.md.
 *
 *     npm run release -- --dry-run   does the same in a copy of the repository, and publishes nothing
 *     npm run release                publishes
 *     npm run release -- --provenance   publishes from a workflow that npm trusts, with a statement of where it was built
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyOfRepository } from './copy-of-repository.ts';

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, provenance: { type: 'boolean' } },
});
const isDry = values['dry-run'] === true;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const root = isDry ? copyOfRepository() : join(import.meta.dirname, '..');
try {
  if (!isDry && run('git', ['status', '--porcelain']).trim() !== '')
    throw new Error('There are changes that are not committed. Commit them first.');
  run('npx', ['changeset', 'version']);
  const packages = publicPackages();
  const version = commonVersion(packages);
  writeChangelog(version);
  run('npm', [
    'install',
    '--package-lock-only',
    '--ignore-scripts',
    '--no-audit',
    '--prefer-offline',
  ]);
  if (!isDry) buildAnew();
  const bill = run('npm', [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--omit',
    'dev',
    '--package-lock-only',
  ]);
  writeFileSync(join(root, 'sbom.cyclonedx.json'), bill);
  publish(packages.map(({ name }) => name));
  console.log(
    isDry
      ? `${packages.length} packages would be published as ${version}.`
      : `${packages.length} packages are published as ${version}. Now: git commit -am "Release ${version}" && git tag v${version} && git push --follow-tags`,
  );
} finally {
  if (isDry) rmSync(root, { recursive: true, force: true });
}

function publicPackages(): readonly Manifest[] {
  return globSync('{packages/*,packages/formats/*,packages/channels/*,apps/*}/package.json', {
    cwd: root,
  })
    .map((path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest)
    .filter((manifest) => manifest.private !== true);
}

/** @throws Error when packages differ, or need another version of each other */
function commonVersion(packages: readonly Manifest[]): string {
  const versions = [...new Set(packages.map(({ version }) => version))];
  if (versions.length !== 1) throw new Error(`The versions differ: ${versions.join(', ')}`);
  const [version = ''] = versions;
  const names = new Set(packages.map(({ name }) => name));
  for (const { name, dependencies, peerDependencies } of packages)
    for (const [other, range] of Object.entries({ ...dependencies, ...peerDependencies }))
      if (names.has(other) && range !== version)
        throw new Error(`${name} needs ${other} ${range}, and not ${version}.`);
  return version;
}

function writeChangelog(version: string): void {
  const path = join(root, 'CHANGELOG.md');
  const text = readFileSync(path, 'utf8');
  const heading = '## Unreleased\n';
  if (!text.includes(heading)) throw new Error('CHANGELOG.md has no "## Unreleased".');
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(path, text.replace(heading, `${heading}\n## ${version} (${date})\n`));
}

/** Builds from scratch: a build keeps the output of removed sources. */
function buildAnew(): void {
  for (const path of globSync(
    '{packages/*,packages/formats/*,packages/channels/*,apps/desk}/dist',
    {
      cwd: root,
    },
  ))
    rmSync(join(root, path), { recursive: true });
  run('node', ['.config/build.ts']);
  run('npm', ['run', 'check']);
}

/** @throws Error when npm would leave a package out */
function publish(names: readonly string[]): void {
  const options = [...(isDry ? ['--dry-run'] : []), ...(values.provenance ? ['--provenance'] : [])];
  const printed = run('npm', [
    'publish',
    '--workspaces',
    '--access=public',
    '--ignore-scripts',
    ...options,
  ]);
  const published = [...printed.matchAll(/^\+ (\S+)@[\w.-]+$/gm)].map(([, name]) => name!);
  const missing = names.filter((name) => !published.includes(name));
  if (missing.length > 0) throw new Error(`Not published: ${missing.join(', ')}`);
}

/** @returns what the program prints @throws Error with its output when it fails */
function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` },
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')}\n${stdout.slice(-4_000)}${stderr.slice(-4_000)}`);
}
