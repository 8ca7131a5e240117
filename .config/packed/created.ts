import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, run, tarballs } from './project.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** What a person says, by template, and what the program then prints. */
export const templates = {
  conversation: ['Ada\ninspection\n', "outcome: 'completed'"],
  workflow: ['', '"paid": 20'],
  npc: ['I am the doctor\n', 'Who is there?'],
  graph: ['The screen stays dark\n', 'What is wrong?'],
} as const;

/** Installs `create-dramaturg` from its tarball. @returns the folder in which it makes projects */
export function installCreator(): string {
  const creator = join(folder, 'creator');
  mkdirSync(creator);
  // Without it, npm looks for a project in the folders around, and installs there.
  writeFileSync(join(creator, 'package.json'), '{ "private": true }\n');
  run(
    `npm install --no-audit --no-fund --prefer-offline file:${tarballs.get('create-dramaturg')!}`,
    creator,
  );
  return creator;
}

/** Makes a project, installs it with a package manager as strangers would, starts it and runs its tests. */
export function createProject(
  creator: string,
  manager: string,
  template: keyof typeof templates,
): void {
  const [input, expected] = templates[template];
  const project = `${manager}-${template}`;
  run(`npx --no-install create-dramaturg ${project} --template ${template}`, creator);
  const place = join(creator, project);
  usePacked(join(place, 'package.json'));
  const quiet = manager === 'npm' ? '--no-audit --no-fund --prefer-offline' : '';
  run(`${manager} install ${quiet}`, place);
  const printed = run(`${manager} run start`, place, input);
  if (!printed.includes(expected)) throw new Error(`${project} printed ${printed}`);
  run(`${manager} run test`, place);
}

/** Packages of ours come from their tarballs, wherever they are named. */
function usePacked(path: string): void {
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const files = new Map([...tarballs].map(([name, file]) => [name, `file:${file}`]));
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
      name,
      files.get(name) ?? range,
    ]),
  );
  const overrides = Object.fromEntries(
    [...files].filter(([name]) => !Object.hasOwn(dependencies, name)),
  );
  const changed = { ...manifest, dependencies, overrides, pnpm: { overrides } };
  writeFileSync(path, JSON.stringify(changed, undefined, 2));
}
