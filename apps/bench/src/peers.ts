import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { DramaturgError } from '@dramaturg/compiler';

/** A peer package cannot be installed, or a needed server is missing. */
export class PeerError extends DramaturgError<'bench/peer-missing'> {
  override readonly name = 'PeerError';

  constructor(message: string) {
    super('bench/peer-missing', message);
  }
}

/** Peers are in a separate folder, so that building and testing the project does not install them. */
const folder = join(import.meta.dirname, '../peers');

/**
 * Loads a peer package. Installs it first if the wanted version is missing.
 *
 * @throws PeerError when it cannot be installed
 */
export function peer(name: string): unknown {
  if (versionOf(name) !== wantedVersionOf(name)) install(name);
  return createRequire(join(folder, 'package.json'))(name) as unknown;
}

function install(name: string): void {
  console.error(`Installing ${name} in apps/bench/peers, to compare with.`);
  const { status } = spawnSync('npm', ['ci', '--prefix', folder], {
    cwd: folder,
    // The output of npm does not belong to the results.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  throw new PeerError(
    `${name} is needed to compare with and cannot be installed. Connect to a network and run: npm ci --prefix apps/bench/peers`,
  );
}

function versionOf(name: string): string | undefined {
  try {
    return (readJson('node_modules', name, 'package.json') as { version: string }).version;
  } catch {
    return undefined;
  }
}

function wantedVersionOf(name: string): string | undefined {
  return (readJson('package.json') as { dependencies: Record<string, string> }).dependencies[name];
}

function readJson(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
}
