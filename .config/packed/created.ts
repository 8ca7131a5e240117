import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf, type PackageManager } from './managers.ts';
import { folder, published, root, run } from './project.ts';

/** By template: the lines that a person types, and output that the program must print. */
const templates = {
  conversation: ['Ada\ninspection\n', "outcome: 'completed'"],
  workflow: ['', '"paid": 20'],
  npc: ['I am the doctor\n', 'Who is there?'],
  graph: ['The screen stays dark\n', 'What is wrong?'],
} as const;

export type Template = keyof typeof templates;

/** A registry that has the packed packages. */
export interface Registry {
  readonly address: string;
  readonly close: () => void;
}

/** Starts a registry that has the packed packages. @throws Error when it does not start, or the real registry cannot be reached */
export async function startRegistry(): Promise<Registry> {
  const list = join(folder, 'published.json');
  writeFileSync(list, JSON.stringify(published));
  run('npm view xstate version --prefer-online', root);
  const others = run('npm config get registry', root).trim();
  const registry: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'registry.ts'), list, others],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [printed] = (await Promise.race([
    once(registry.stdout!, 'data'),
    once(registry, 'exit').then(() => {
      throw new Error('The registry has not started.');
    }),
  ])) as [Buffer];
  return { address: String(printed).trim(), close: () => void registry.kill() };
}

/**
 * Creates a project with a package manager, as a new user does. Installs and starts it, and runs its tests. Returns its folder.
 *
 * @param isOffline whether the package manager takes all packages from its cache, which an earlier project has filled
 */
export function createProject(
  { name: manager, create }: PackageManager,
  registry: Registry,
  template: Template,
  isOffline: boolean,
): string {
  const [input, expected] = templates[template];
  const environment = environmentOf(registry.address);
  const place = join(folder, `made-by-${manager}`);
  mkdirSync(place, { recursive: true });
  // Without this file, package managers look for a project in parent folders, and install there.
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
  const created = run(create(`${template} --template ${template}`), place, '', environment);
  if (!created.includes(`${manager} install`)) throw new Error(`It printed ${created}`);
  const project = join(place, template);
  run(`${manager} install${isOffline ? ' --offline' : ''}`, project, '', environment);
  const printed = run(`${manager} run start`, project, input, environment);
  if (!printed.includes(expected)) throw new Error(`${project} printed ${printed}`);
  run(`${manager} run test`, project, '', environment);
  return project;
}
