import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Copies the repository with its builds and installed packages, as a repository of its own without a commit. */
export function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'dramaturg-copy-'));
  const listed = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.stdout.split('\0').filter((file) => file && existsSync(join(root, file)));
  const built = globSync('{packages,packages/channels,packages/formats,apps}/*/dist', {
    cwd: root,
  });
  const installed = globSync('{packages,packages/channels,packages/formats,apps}/*/node_modules', {
    cwd: root,
  });
  for (const path of [...files, ...built])
    cpSync(join(root, path), join(copy, path), { recursive: true });
  for (const path of ['node_modules', ...installed]) link(join(root, path), join(copy, path));
  // Turbo hashes the files that git knows.
  spawnSync('git', ['init', '-q'], { cwd: copy });
  spawnSync('git', ['add', '-A'], { cwd: copy });
  return copy;
}

/** Copies a folder of installed packages. Hard links take no space; nothing writes into these files. */
function link(from: string, to: string): void {
  const { status } = spawnSync('cp', ['-al', from, to]);
  if (status !== 0) {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}
