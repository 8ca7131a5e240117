import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Template } from './created.ts';
import { folder, run } from './project.ts';

const managers = join(import.meta.dirname, 'managers');

/** A package manager that creates projects. */
export interface PackageManager {
  readonly name: string;
  /** The command that makes a project, with the arguments of `create-dramaturg`. */
  readonly create: (args: string) => string;
  /** The templates to create. All have the same dependencies, so one template is enough to test a package manager. */
  readonly templates: readonly Template[];
}

/** The package managers that projects are made with. */
export const packageManagers: readonly PackageManager[] = [
  {
    name: 'npm',
    create: (args) => `npm create dramaturg@latest --yes -- ${args}`,
    templates: ['conversation', 'workflow', 'npc', 'graph'],
  },
  {
    name: 'pnpm',
    create: (args) => `pnpm create dramaturg@latest ${args}`,
    templates: ['conversation'],
  },
  { name: 'bun', create: (args) => `bun create dramaturg@latest ${args}`, templates: ['workflow'] },
];

/** Installs the package managers that do not come with Node, in a folder of their own. @throws Error without the registry */
export function installManagers(): void {
  // Without a lockfile, because a registry may not have all packages of other systems yet, and "npm ci" needs them.
  if (!existsSync(join(managers, 'node_modules/.package-lock.json')))
    run('npm install --no-package-lock --no-audit --no-fund --prefer-offline', managers);
}

/** The environment in which package managers use this registry, with caches that are empty before the first project. */
export function environmentOf(registry: string): NodeJS.ProcessEnv {
  return {
    PATH: [join(managers, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    npm_config_registry: registry,
    npm_config_cache: join(folder, 'cache/npm'),
    pnpm_config_registry: registry,
    pnpm_config_store_dir: join(folder, 'cache/pnpm'),
    pnpm_config_cache_dir: join(folder, 'cache/pnpm-documents'),
    BUN_CONFIG_REGISTRY: registry,
    BUN_INSTALL_CACHE_DIR: join(folder, 'cache/bun'),
    // Bun keeps this value when npm has set it for a script.
    npm_config_user_agent: undefined,
  };
}
