/**
 * Makes each project of `create-dramaturg` from packed packages, installs it with a package manager as strangers would, starts it and
 * runs its tests. Needs built packages. Package managers are arguments: `node .config/created.ts npm pnpm bun`; npm is the default.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'dramaturg-created-'));

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readManifest = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

/** What a person says, by template, and what the program then prints. */
const runs = {
  conversation: ['Ada\ninspection\n', "outcome: 'completed'"],
  workflow: ['', '"paid": 20'],
  npc: ['I am the doctor\n', 'Who is there?'],
  graph: ['The screen stays dark\n', 'What is wrong?'],
} as const;

const managers = process.argv.length > 2 ? process.argv.slice(2) : ['npm'];

try {
  const tarballs = new Map(
    globSync('{packages/*,packages/formats/*,packages/channels/*,apps/desk}/package.json', {
      cwd: root,
    }).flatMap((path) => {
      const { name, private: isPrivate } = readManifest(join(root, path));
      return isPrivate ? [] : [[name, `file:${pack(join(root, dirname(path)))}`] as const];
    }),
  );
  const creator = join(folder, 'creator');
  mkdirSync(creator);
  run(
    `npm install --no-audit --no-fund --prefer-offline ${tarballs.get('create-dramaturg')!}`,
    creator,
  );
  for (const manager of managers) {
    for (const [template, [input, expected]] of Object.entries(runs)) {
      const project = `${manager}-${template}`;
      run(`npx --no-install create-dramaturg ${project} --template ${template}`, creator);
      const place = join(creator, project);
      usePacked(join(place, 'package.json'), tarballs);
      const quiet = manager === 'npm' ? '--no-audit --no-fund --prefer-offline' : '';
      run(`${manager} install ${quiet}`, place);
      const printed = run(`${manager} run start`, place, input);
      if (!printed.includes(expected)) throw new Error(`${project} printed ${printed}`);
      run(`${manager} run test`, place);
      console.log(`✓ ${project} starts, and its tests pass`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Packages of ours come from their tarballs, wherever they are named. */
function usePacked(path: string, tarballs: ReadonlyMap<string, string>): void {
  const manifest = readManifest(path);
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
      name,
      tarballs.get(name) ?? range,
    ]),
  );
  const overrides = Object.fromEntries(
    [...tarballs].filter(([name]) => !Object.hasOwn(dependencies, name)),
  );
  const changed = { ...manifest, dependencies, overrides, pnpm: { overrides } };
  writeFileSync(path, JSON.stringify(changed, undefined, 2));
}

function pack(from: string): string {
  const [{ filename }] = JSON.parse(
    run(`npm pack --json --ignore-scripts --pack-destination ${JSON.stringify(folder)}`, from),
  ) as [{ filename: string }];
  return join(folder, filename);
}

/** @returns what the command prints @throws Error with all of its output when it fails */
function run(command: string, cwd: string, input = ''): string {
  const bin = join(root, 'node_modules/.bin');
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    shell: true,
    encoding: 'utf8',
    input,
    env: { ...process.env, NO_COLOR: '1', PATH: [bin, process.env['PATH']].join(delimiter) },
  });
  if (status === 0) return stdout;
  throw new Error(`${command}\n${stdout}${stderr}`);
}
