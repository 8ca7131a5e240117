import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Servers have their own folder for installation, so that building or using the project does not install them. */
const folder = join(import.meta.dirname, '../servers');

export function installedPath(path: string): string {
  return join(folder, 'node_modules', path);
}

/**
 * Installs the servers if the path of one of them is missing.
 *
 * @returns the reason why it cannot be installed, with the next thing to do; undefined when it is there
 */
export function whyNotInstalled(path: string): string | undefined {
  if (existsSync(path)) return undefined;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--prefix', folder], {
    cwd: folder,
    env: { ...process.env, SCARF_ANALYTICS: 'false' },
    stdio: 'ignore',
  });
  if (status === 0 && existsSync(path)) return undefined;
  return 'The servers of tests cannot be installed. Connect to a network and run: npm ci --prefix packages/test-servers/servers';
}

/**
 * The reason why a test does not start servers and browsers: such tests run in `npm run test:all`. Undefined in that run, and
 * outside tests.
 */
export function whyNotInShortTests(): string | undefined {
  if (process.env['VITEST'] !== 'true' || process.env['DRAMATURG_TEST_ALL'] === '1')
    return undefined;
  return 'Tests with servers and browsers run in "npm run test:all".';
}
