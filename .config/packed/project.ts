import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Published } from './registry.ts';

export const root = join(import.meta.dirname, '../..');

/** The folder of the tarballs and projects. */
export const folder = mkdtempSync(join(tmpdir(), 'dramaturg-packed-'));

type Manifest = Published['manifest'] & { readonly private?: boolean };

/** All packages that are published. */
export const published: readonly Published[] = globSync(
  '{packages/*,packages/formats/*,packages/channels/*,apps/desk}/package.json',
  { cwd: root },
).flatMap((path) => {
  const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
  return manifest.private ? [] : [{ manifest, file: pack(join(root, dirname(path))) }];
});

/** Their tarballs, by their names. */
export const tarballs: ReadonlyMap<string, string> = new Map(
  published.map(({ manifest, file }) => [manifest.name, file]),
);

function pack(from: string): string {
  const [{ filename }] = JSON.parse(
    run(`npm pack --json --ignore-scripts --pack-destination ${JSON.stringify(folder)}`, from),
  ) as [{ filename: string }];
  return join(folder, filename);
}

/**
 * Creates an empty project with `dramaturg` and other packages. Our packages always come from their tarballs.
 *
 * @param fields fields of its package.json
 */
export function install(
  name: string,
  others: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const project = join(folder, name);
  mkdirSync(project);
  const files = Object.fromEntries([...tarballs].map(([each, file]) => [each, `file:${file}`]));
  const { dramaturg: main, ...rest } = files;
  const manifest = {
    name,
    private: true,
    dependencies: { dramaturg: main, ...others },
    overrides: rest,
    ...fields,
  };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  run('npm install --no-audit --no-fund --prefer-offline', project);
  return project;
}

/** Packages of ours as dependencies of a project. */
export function ours(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, `file:${tarballs.get(name)}`]));
}

/** Programs of the folder come first: npx takes longer to find one than most take to run. @returns what the command prints @throws Error with all of its output when it fails */
export function run(
  command: string,
  cwd: string,
  input = '',
  environment: NodeJS.ProcessEnv = {},
): string {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', ...environment };
  const programs = [cwd, root].map((each) => join(each, 'node_modules/.bin'));
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    shell: true,
    encoding: 'utf8',
    input,
    env: { ...env, PATH: [...programs, env['PATH']].join(delimiter) },
  });
  if (status === 0) return stdout;
  throw new Error(`${command}\n${stdout}${stderr}`);
}
